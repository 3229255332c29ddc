package customdata

import (
	"slices"

	"github.com/helve-dev/helve/tool"
)

// slot is a column that has an index, or had one when it was dropped.
type slot struct {
	Number int            `json:"number"`
	Kind   tool.FieldKind `json:"kind"`
}

// index gives indexes to the columns of a table while there are some: first to unique
// columns, all of which have one. Indexes that there are stay as they are, except
// for those of columns that were dropped, and for the last ones if a unique column has
// none.
func (t *stored) index() {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Unique {
			t.indexColumn(c)
		}
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.indexable() {
			t.indexColumn(c)
		}
	}
}

func (t *stored) indexColumn(c *column) {
	has := slot{c.Number, c.kind()}
	if slices.Contains(t.Indexed, has) {
		return
	}
	if len(t.Indexed) < maxIndexed {
		t.Indexed = append(t.Indexed, has)
		return
	}
	for i := len(t.Indexed) - 1; i >= 0; i-- {
		other := t.numbered(t.Indexed[i].Number)
		if other == nil || c.Unique && !other.Unique {
			t.Indexed[i] = has
			return
		}
	}
}

// numbered returns the column of a number; nil if it was dropped.
func (t *stored) numbered(n int) *column {
	for i := range t.Columns {
		if t.Columns[i].Number == n {
			return &t.Columns[i]
		}
	}
	return nil
}
