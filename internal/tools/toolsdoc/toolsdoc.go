// Package toolsdoc writes the documentation of the built-in tools from their
// definitions: a page for each category, and a README that lists them. Whoever
// calls [Generator.Pages] brings the definitions, the pages there were, and a
// function that makes the call of a tool's example; this package reads no file and
// runs nothing itself.
//
// # Answers
//
// Each example is called twice, and more often before the answer on a page changes.
// Where all answers are the same, that is the answer on the page, and any later change
// of it is a change of the page. Where they differ (a new UUID, a password), or where
// the caller says that they depend on the machine ([Outcome.Varies]), one answer is
// shown and the next generation compares only its shape: the names and types on its
// lines. As long as that is the same, the page keeps the answer it has.
//
// An example that this machine cannot play, because a program is missing, leaves
// the page's answer as it is and is named in the notes. One that would need what
// documentation never has, such as a mailbox, is shown with the error that a worker
// without it answers. So every tool has an answer.
//
// # What it does not promise
//
// It does not check definitions, and that an example is a typical one is for its
// author to see to.
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

// Outcome is what came of an example's call.
type Outcome struct {
	// Value is the result as JSON, or the error of a call that was refused.
	Value json.RawMessage
	// Refused says that Value is an error: the call needs what documentation never
	// has.
	Refused bool
	// Varies says that the result depends on the machine or the moment.
	Varies bool
	// Skipped says what this machine lacks: another one plays the example.
	Skipped string
}

// Generator writes pages.
type Generator struct {
	Definitions []tool.Definition
	// Play makes the call of a tool's example, in a world of its own: a second
	// call of the same example must find what the first one found.
	Play func(ctx context.Context, d *tool.Definition) (Outcome, error)
	// Old returns the section of a tool as it was, if there was one.
	Old func(name string) (string, bool)
}

// Pages returns the pages by file name, and notes for whoever runs it: the examples
// that were not played. An example that is missing, fails or has no answer to show is
// an error; the pages are made all the same, with the answer it had.
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

// fileName is the name of a category's page.
func fileName(category string) string {
	words := strings.FieldsFunc(strings.ToLower(category), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-") + ".md"
}

// manyCalls is how often an example is called before an answer that the page does not
// have is its only one.
const manyCalls = 20

// answer is the answer to show for a tool's example.
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
	// Of a few possible answers chance may give the same one twice. It need not be
	// taken for more than that while the page has another.
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
