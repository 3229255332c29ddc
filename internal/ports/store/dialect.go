package store

import (
	"strings"

	"github.com/helve-dev/helve/tool"
)

// dialect writes the expressions that differ between the two databases. Field names are
// checked; they need no quotes.
type dialect interface {
	// field returns the expression of a field of the document, never NULL.
	field(name string, kind tool.FieldKind) string
	// value returns the placeholder for a value that is compared with such a field.
	value(kind tool.FieldKind) string
	// has returns the condition that a list holds a text, with one placeholder.
	has(name string) string
	// matches returns the condition that a document has words which begin with all
	// terms, and its value.
	matches(owner ownerKey, terms []string) (condition string, value any)
	// text returns an expression of a number as text.
	text(number string) string
}

// kindOf returns the kind of a field that conditions and order may name.
func kindOf(shape *tool.Shape, field string) (tool.FieldKind, error) {
	switch field {
	case tool.FieldID:
		return tool.KindText, nil
	case tool.FieldCreated, tool.FieldUpdated:
		return tool.KindTime, nil
	}
	kind, ok := shape.Fields[field]
	if !ok || !fieldForm.MatchString(field) {
		return 0, tool.Fail(tool.ValidationError, "%s has no field %q", shape.Name, field)
	}
	return kind, nil
}

// expression returns the expression of a field and the placeholder of its values.
func expression(d dialect, field string, kind tool.FieldKind) (column, value string) {
	switch field {
	case tool.FieldID:
		return "id", "?"
	case tool.FieldCreated:
		return "created", "?"
	case tool.FieldUpdated:
		return "updated", "?"
	}
	return d.field(field, kind), d.value(kind)
}

// numbered returns a statement with $1, $2, … in place of each ?.
func numbered(statement string) string {
	var b strings.Builder
	for n := 1; ; n++ {
		before, after, more := strings.Cut(statement, "?")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		b.WriteByte('$')
		b.WriteString(itoa(n))
		statement = after
	}
}
