// Package toolsdoc writes the documentation of the built-in tools from their
// definitions: a page for each category, and a README that lists them. The caller of
// [Generator.Pages] provides the definitions, the existing pages, and a function that
// runs a tool's example; this package reads no file and runs nothing itself.
//
// # Answers
//
// Each example is called twice, and more often before the answer on a page changes. If
// all answers are equal, the page shows this answer, and a later change of it changes
// the page. If they differ (a new UUID, a password), or the caller reports that they
// depend on the machine ([Outcome.Varies]), the page shows one answer and the next
// generation compares only its shape: the names and types on its lines. While the shape
// is the same, the page keeps its answer.
//
// If this machine cannot run an example because a program is missing, the page keeps
// its answer and the notes name the example. If an example needs something that the
// documentation never has, such as a mailbox, the page shows the error of a worker
// without it. So every tool has an answer.
//
// # What it does not promise
//
// It does not check definitions, nor whether an example is typical.
package toolsdoc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Outcome is the outcome of an example's call.
type Outcome struct {
	// Value is the result as JSON, or the error of a refused call.
	Value json.RawMessage
	// Refused is set if Value is an error: the call needs something that the
	// documentation never has.
	Refused bool
	// Varies is set if the result depends on the machine or the time.
	Varies bool
	// Skipped names what this machine lacks; another machine can run the example.
	Skipped string
}

// Generator writes pages.
type Generator struct {
	Definitions []tool.Definition
	// Play runs a tool's example in a world of its own: a second call of the same
	// example must find the same state as the first.
	Play func(ctx context.Context, d *tool.Definition) (Outcome, error)
	// Old returns the previous section of a tool, if there was one.
	Old func(name string) (string, bool)
}

// Pages returns the pages by file name, and notes about examples that were not run. If
// an example is missing, fails or has no answer, Pages returns an error together with
// the pages, in which the tool keeps its previous answer.
func (g *Generator) Pages(ctx context.Context) (pages map[string]string, notes []string, err error) {
	categories := map[string][]*tool.Definition{}
	for i := range g.Definitions {
		d := &g.Definitions[i]
		categories[d.Category] = append(categories[d.Category], d)
	}
	pages = map[string]string{}
	var failed []error
	for _, category := range slices.Sorted(maps.Keys(categories)) {
		tools := categories[category]
		slices.SortFunc(tools, func(a, b *tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
		var page strings.Builder
		writeHead(&page, category, tools)
		for _, d := range tools {
			shown, note, err := g.answer(ctx, d)
			if err != nil {
				failed = append(failed, err)
			}
			if note != "" {
				notes = append(notes, d.Name+": "+note)
			}
			if err := writeTool(&page, d, shown); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", d.Name, err))
			}
		}
		pages[fileName(category)] = page.String()
	}
	pages["README.md"] = readme(categories)
	return pages, notes, errors.Join(failed...)
}

// fileName returns the name of a category's page.
func fileName(category string) string {
	words := strings.FieldsFunc(strings.ToLower(category), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-") + ".md"
}

// manyCalls is the number of equal answers after which a new answer is taken as the
// only possible one.
const manyCalls = 20

// answer returns the answer to show for a tool's example.
func (g *Generator) answer(ctx context.Context, d *tool.Definition) (a answer, note string, err error) {
	old := answer{}
	if g.Old != nil {
		section, _ := g.Old(d.Name)
		old = answerIn(section)
	}
	if len(d.Example) == 0 {
		return old, "", fmt.Errorf("%s has no example", d.Name)
	}
	first, err := g.Play(ctx, d)
	switch {
	case err != nil:
		return old, "", fmt.Errorf("the example of %s fails: %w", d.Name, err)
	case first.Skipped != "" && old.text == "":
		return old, "", fmt.Errorf("the example of %s has no answer yet and cannot be played: %s", d.Name, first.Skipped)
	case first.Skipped != "":
		return old, "the example was not played and keeps the answer it has: " + first.Skipped, nil
	}
	lines, err := display(first.Value)
	if err != nil {
		return old, "", fmt.Errorf("the answer to the example of %s: %w", d.Name, err)
	}
	now := answer{cut(lines), first.Refused}
	varies := first.Varies
	// If there are only a few possible answers, two calls may return the same one by
	// chance. While the page has another answer, more calls decide.
	for n := 1; n < 2 || n < manyCalls && !varies && old.text != "" && now != old; n++ {
		again, err := g.Play(ctx, d)
		if err != nil {
			return old, "", fmt.Errorf("the example of %s fails when it is called again: %w", d.Name, err)
		}
		varies = varies || string(first.Value) != string(again.Value)
	}
	if varies && now.refused == old.refused && old.text != "" && sameShape(old.text, first.Value) {
		return old, "", nil
	}
	return now, "", nil
}
