package textdiff

import (
	"fmt"
	"strings"
)

// A shown difference has hunkContext equal lines around each change, and in total at
// most MaxHunkText bytes.
const (
	hunkContext = 3
	MaxHunkText = 20_000
)

// An edit is one line of a comparison: kept (' '), removed ('-') or added ('+'). It has
// the numbers of the next line in both texts, from 0.
type edit struct {
	kind byte
	a, b int
}

// Hunks formats the difference of two texts in unified form, without file names; equal
// texts have none.
func Hunks(a, b []string, d *Diff) string {
	edits := editsOf(d)
	var out strings.Builder
	for at := 0; at < len(edits); {
		if edits[at].kind == ' ' {
			at++
			continue
		}
		start := max(at-hunkContext, 0)
		end := hunkEnd(edits, at)
		writeHunk(&out, edits[start:end], a, b)
		if out.Len() > MaxHunkText {
			return strings.ToValidUTF8(out.String()[:MaxHunkText], "") + "\n... (the difference goes on)\n"
		}
		at = end
	}
	return out.String()
}

func editsOf(d *Diff) []edit {
	edits := make([]edit, 0, max(len(d.Removed), len(d.Added)))
	for i, j := 0, 0; i < len(d.Removed) || j < len(d.Added); {
		switch {
		case i < len(d.Removed) && d.Removed[i]:
			edits = append(edits, edit{'-', i, j})
			i++
		case j < len(d.Added) && d.Added[j]:
			edits = append(edits, edit{'+', i, j})
			j++
		default:
			edits = append(edits, edit{' ', i, j})
			i++
			j++
		}
	}
	return edits
}

// hunkEnd returns the end of the hunk that begins with the change at first. Changes
// share a hunk if fewer equal lines are between them than two contexts have.
func hunkEnd(edits []edit, first int) int {
	last := first
	for i := first; i < len(edits) && i-last <= 2*hunkContext; i++ {
		if edits[i].kind != ' ' {
			last = i
		}
	}
	return min(last+1+hunkContext, len(edits))
}

// hunkRange returns the range of lines of one text in a hunk; if it is empty, the range
// names the line before it.
func hunkRange(from, count int) string {
	if count > 0 {
		from++
	}
	return fmt.Sprintf("%d,%d", from, count)
}

func writeHunk(out *strings.Builder, edits []edit, a, b []string) {
	lines := map[byte]int{}
	for _, e := range edits {
		lines[e.kind]++
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", hunkRange(edits[0].a, lines[' ']+lines['-']), hunkRange(edits[0].b, lines[' ']+lines['+']))
	for _, e := range edits {
		var line string
		if e.kind == '+' {
			line = b[e.b]
		} else {
			line = a[e.a]
		}
		if out.WriteByte(e.kind); out.Len()+len(line) > MaxHunkText { // one line can be a whole text
			line = line[:max(0, min(len(line), MaxHunkText-out.Len()+1))]
		}
		out.WriteString(line)
		out.WriteByte('\n')
		if out.Len() > MaxHunkText {
			return
		}
	}
}
