// Package toolsdoc writes the documentation of the built-in tools from their
// definitions: a page for each category, and a README that lists them. Whoever
// calls [Generator.Pages] brings the definitions, the pages there were, and a
// function that makes the call of a tool's example; this package reads no file and
// runs nothing itself.
//
// # Answers
//
// Each example is called twice. Where both answers are the same, that is the answer
// on the page, and any later change of it is a change of the page. Where they
// differ (a new UUID, a password), or where the caller says that they depend on the
// machine ([Outcome.Varies]), one answer is shown and the next generation compares
// only its shape: the names and types on its lines. As long as that is the same,
// the page keeps the answer it has.
//
// An example that this machine cannot play, because a program is missing, leaves
// the page's answer as it is and is named in the notes. One that would need what
// documentation never has, such as a mailbox, is shown without an answer.
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
	// Value is the result as JSON.
	Value json.RawMessage
	// Varies says that the result depends on the machine or the moment.
	Varies bool
	// Absent says what the call needs that documentation never has: there is no
	// answer to show.
	Absent string
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

// Pages returns the pages by file name, and notes for whoever runs it: examples
// that are missing, and those that were not played. An example that fails is an
// error, for it shows nothing that a reader could follow; the pages are made all the
// same, with the answer it had.
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
			answer, note, err := g.answer(ctx, d)
			if err != nil {
				failed = append(failed, err)
			}
			if note != "" {
				notes = append(notes, d.Name+": "+note)
			}
			if err := writeTool(&page, d, answer); err != nil {
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

// answer is the answer to show for a tool's example, "" for none.
func (g *Generator) answer(ctx context.Context, d *tool.Definition) (answer, note string, err error) {
	if len(d.Example) == 0 {
		return "", "it has no example", nil
	}
	first, err := g.Play(ctx, d)
	switch {
	case err != nil:
		return g.old(d.Name), "", fmt.Errorf("the example of %s fails: %w", d.Name, err)
	case first.Absent != "":
		return "", "the example is shown without an answer: " + first.Absent, nil
	case first.Skipped != "":
		return g.old(d.Name), "the example was not played and keeps the answer it has: " + first.Skipped, nil
	}
	second, err := g.Play(ctx, d)
	if err != nil {
		return g.old(d.Name), "", fmt.Errorf("the example of %s fails when it is called again: %w", d.Name, err)
	}
	if first.Varies || string(first.Value) != string(second.Value) {
		if old := g.old(d.Name); old != "" && sameShape(old, first.Value) {
			return old, "", nil
		}
	}
	lines, err := display(first.Value)
	if err != nil {
		return "", "", fmt.Errorf("the answer to the example of %s: %w", d.Name, err)
	}
	return cut(lines), "", nil
}

// old is the answer that a tool's section had, "" for none.
func (g *Generator) old(name string) string {
	if g.Old == nil {
		return ""
	}
	section, ok := g.Old(name)
	if !ok {
		return ""
	}
	_, after, ok := strings.Cut(section, answerOpens)
	if !ok {
		return ""
	}
	answer, _, _ := strings.Cut(after, answerCloses)
	return answer
}
