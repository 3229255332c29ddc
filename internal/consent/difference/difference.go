// Package difference writes what a call changes as lines of text, for terminals and for front ends
// that show a question as text.
//
// It promises that each line of a text stays one line and begins with a sign, that characters which
// are not plainly visible are written as codes, as in a preview, and that the whole is at most as
// long as asked. It does not promise the shortest difference.
package difference

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/textdiff"
	"github.com/helve-dev/helve/protocol"
)

// Of returns the changes as text: for each a line with its path and its outcome, then the
// difference in unified form. What does not fit into most bytes is replaced by a line that
// tells it.
func Of(changes []protocol.Change, most int) string {
	var out strings.Builder
	for i := range changes {
		c := &changes[i]
		fmt.Fprintf(&out, "%s: %s\n%s", preview.Line(c.Path), kind(c), hunks(c))
	}
	text := out.String()
	if len(text) <= most {
		return text
	}
	text = textcut.Head(text, most)
	text = text[:strings.LastIndexByte(text, '\n')+1]
	return text + "… the rest of the difference is too long to be shown here …\n"
}

// kind returns the outcome of a change in a few words.
func kind(c *protocol.Change) string {
	said := ""
	switch {
	case c.Old == nil && c.New == nil && c.Cut:
		said = "changes; the difference is in the request itself"
	case c.Old == nil && c.New == nil && c.OldSHA256 == "":
		said = "changes, with everything in it"
	case c.Old == nil && c.New == nil:
		said = "changes, and is not text"
	case c.Old == nil && c.OldSHA256 == "":
		said = "is new"
	case c.Old == nil:
		said = "replaces what is not text"
	case c.New == nil:
		said = "goes, or is replaced by what nobody knows yet"
	case *c.Old == *c.New:
		said = "stays as it is"
	}
	said = cmp.Or(said, "changes")
	if c.Cut && (c.Old != nil || c.New != nil) {
		said += " (a part of it)"
	}
	return said
}

// hunks returns the lines of a difference in their visible form, each with its sign.
func hunks(c *protocol.Change) string {
	was, is := lines(c.Old), lines(c.New)
	// The lines are compared as they are, since two long ones may look alike; the work is bounded.
	d, err := textdiff.Units(context.Background(), was, is)
	if err != nil {
		return "" // only a context that ends is one
	}
	return textdiff.Hunks(visible(was), visible(is), d)
}

// lines returns the lines of a text.
func lines(text *string) []string {
	if text == nil || *text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(*text, "\n"), "\n")
}

func visible(all []string) []string {
	shown := make([]string, len(all))
	for i, line := range all {
		shown[i] = preview.Line(line)
	}
	return shown
}
