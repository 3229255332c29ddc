package utilities

import (
	"fmt"
	"strings"
)

// A shown difference has hunkContext equal lines around each change, and in all at
// most maxHunkText bytes.
const (
	hunkContext = 3
	maxHunkText = 20_000
)

// An edit is one line of a comparison: kept (' '), removed ('-') or added ('+'). It
// has the numbers of the next line in both texts, from 0.
type edit struct {
	kind byte
	a, b int
}

// hunksOf writes the difference of two texts in the unified form, without the names
// of files; equal texts have none.
func hunksOf(a, b []string, d *differ) string {
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
		if out.Len() > maxHunkText {
			return strings.ToValidUTF8(out.String()[:maxHunkText], "") + "\n... (the difference goes on)\n"
		}
		at = end
	}
	return out.String()
}

func editsOf(d *differ) []edit {
	edits := make([]edit, 0, max(len(d.removed), len(d.added)))
	for i, j := 0, 0; i < len(d.removed) || j < len(d.added); {
		switch {
		case i < len(d.removed) && d.removed[i]:
			edits = append(edits, edit{'-', i, j})
			i++
		case j < len(d.added) && d.added[j]:
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

// hunkEnd returns where the hunk ends that begins with the change at first. Changes
// with fewer equal lines between them than two contexts share one.
func hunkEnd(edits []edit, first int) int {
	last := first
	for i := first; i < len(edits) && i-last <= 2*hunkContext; i++ {
		if edits[i].kind != ' ' {
			last = i
		}
	}
	return min(last+1+hunkContext, len(edits))
}

// hunkRange says which lines of one text a hunk is about; where it has none, the line
// before them is named.
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
		if out.WriteByte(e.kind); out.Len()+len(line) > maxHunkText { // one line can be a whole text
			line = line[:max(0, min(len(line), maxHunkText-out.Len()+1))]
		}
		out.WriteString(line)
		out.WriteByte('\n')
		if out.Len() > maxHunkText {
			return
		}
	}
}
