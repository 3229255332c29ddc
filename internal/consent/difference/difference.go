// Package difference writes what a call changes as lines of text, for terminals and for front ends
// that show a question as text.
//
// It promises that each line of a text stays one line and begins with a sign, that characters which
// are not plainly visible are written as codes, as in a preview, and that the whole is at most as
// long as asked. It does not promise the shortest difference.
package difference

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/protocol"
)

// around is the number of unchanged lines that are shown beside a change.
const around = 3

// Of returns the changes as text: for each a line with its path and its outcome, then the
// lines that go with -, those that come with +, and some that stay with a blank before them. What
// does not fit into most bytes is replaced by a line that says so.
func Of(changes []protocol.Change, most int) string {
	var out strings.Builder
	for i := range changes {
		c := &changes[i]
		fmt.Fprintf(&out, "%s: %s\n", preview.Line(c.Path), kind(c))
		for _, line := range lines(c) {
			out.WriteString(line + "\n")
		}
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

// lines returns the lines of a difference in their visible form, each with its sign.
func lines(c *protocol.Change) []string {
	var before, after string
	if c.Old != nil {
		before = *c.Old
	}
	if c.New != nil {
		after = *c.New
	}
	all, err := udiff.ToUnifiedDiff("", "", before, udiff.Strings(before, after), around)
	if err != nil {
		return nil // not for edits that were made from these texts
	}
	var out []string
	for i, hunk := range all.Hunks {
		if i > 0 {
			out = append(out, "  …")
		}
		for _, line := range hunk.Lines {
			sign := map[udiff.OpKind]string{udiff.Delete: "-", udiff.Insert: "+", udiff.Equal: " "}[line.Kind]
			out = append(out, sign+preview.Line(strings.TrimSuffix(line.Content, "\n")))
		}
	}
	return out
}
