package telemetry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabel limits the bytes of a label's value.
const maxLabel = 128

// label returns a value that is safe as a label: other values than short printable text are
// unknown, so that no caller can fill a scrape or break its lines.
func label(value string) string {
	if len(value) > maxLabel || !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return unknown
	}
	return value
}

// bounded is a set of label values that does not grow beyond most.
type bounded struct {
	most int
	seen map[string]bool
}

// value returns a value of the set, or unknown for a new value while the set is full.
func (b *bounded) value(value string) string {
	value = label(value)
	if b.seen[value] {
		return value
	}
	if len(b.seen) >= b.most {
		return unknown
	}
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	b.seen[value] = true
	return value
}
