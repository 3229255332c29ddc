package regex

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dlclark/regexp2/v2"
	"github.com/helve-dev/helve/internal/lib/bounded"
)

// Replace returns text with its matches replaced, the first or all, and their number.
// between returns the replacement of a match.
func Replace(
	ctx context.Context, re *regexp2.Regexp, text string, all bool, between func(out *strings.Builder, m *regexp2.Match),
) (replaced string, count int, err error) {
	runes := []rune(text)
	var out strings.Builder
	at := 0
	err = Each(ctx, re, text, func(m *regexp2.Match) bool {
		out.WriteString(string(runes[at:m.RuneIndex]))
		between(&out, m)
		at = m.RuneIndex + m.RuneLength
		count++
		return all && out.Len() <= bounded.MaxText
	})
	if err != nil {
		return "", 0, err
	}
	out.WriteString(string(runes[at:]))
	if out.Len() > bounded.MaxText {
		return "", 0, bounded.TooMuch()
	}
	return out.String(), count, nil
}

// Replacement is a parsed replacement text: pieces of text, each followed by a
// reference to a part of the match.
type Replacement struct {
	pieces []string
	refs   []func(out *strings.Builder, m *regexp2.Match, text []rune)
}

// Literal returns a replacement by an unchanged text.
func Literal(text string) *Replacement { return &Replacement{pieces: []string{text}} }

// ReadReplacement parses the references of JavaScript: $1, $<name>, $&, $$ and so on.
// Those of other languages, such as ${1} and \1, are text, and so are references to
// groups that re does not have.
func ReadReplacement(re *regexp2.Regexp, template string) *Replacement {
	r := &Replacement{}
	var piece strings.Builder
	for i := 0; i < len(template); {
		ref, size := readReference(re, template[i:])
		switch {
		case size == 0:
			piece.WriteByte(template[i])
			i++
			continue
		case ref == nil: // $$
			piece.WriteByte('$')
		default:
			r.pieces = append(r.pieces, piece.String())
			r.refs = append(r.refs, ref)
			piece.Reset()
		}
		i += size
	}
	r.pieces = append(r.pieces, piece.String())
	return r
}

// Write appends the replacement of m, which was found in text. It stops if the result
// is already too long.
func (r *Replacement) Write(out *strings.Builder, m *regexp2.Match, text []rune) {
	for i, piece := range r.pieces {
		out.WriteString(piece)
		if i < len(r.refs) && out.Len() <= bounded.MaxText {
			r.refs[i](out, m, text)
		}
	}
}

// readReference parses the reference at the start of template; the size is 0 if there
// is none.
func readReference(re *regexp2.Regexp, template string) (ref func(out *strings.Builder, m *regexp2.Match, text []rune), size int) {
	if len(template) < 2 || template[0] != '$' {
		return nil, 0
	}
	switch next := template[1]; {
	case next == '$':
		return nil, 2
	case next == '&':
		return func(out *strings.Builder, m *regexp2.Match, _ []rune) { out.WriteString(m.String()) }, 2
	case next == '`':
		return func(out *strings.Builder, m *regexp2.Match, text []rune) {
			out.WriteString(string(text[:m.RuneIndex]))
		}, 2
	case next == '\'':
		return func(out *strings.Builder, m *regexp2.Match, text []rune) {
			out.WriteString(string(text[m.RuneIndex+m.RuneLength:]))
		}, 2
	case next == '<':
		end := strings.IndexByte(template, '>')
		if end < 0 {
			return nil, 0
		}
		return namedReference(re, template[2:end], end+1)
	case next >= '0' && next <= '9':
		if len(template) > 2 && template[2] >= '0' && template[2] <= '9' {
			if ref, size := numberedReference(re, template[1:3], 3); size > 0 {
				return ref, size
			}
		}
		return numberedReference(re, template[1:2], 2)
	}
	return nil, 0
}

func numberedReference(re *regexp2.Regexp, digits string, size int) (func(*strings.Builder, *regexp2.Match, []rune), int) {
	number, err := strconv.Atoi(digits)
	if err != nil || number == 0 || !slices.Contains(re.GetGroupNumbers(), number) {
		return nil, 0
	}
	return func(out *strings.Builder, m *regexp2.Match, _ []rune) { writeGroup(out, m.GroupByNumber(number)) }, size
}

func namedReference(re *regexp2.Regexp, name string, size int) (func(*strings.Builder, *regexp2.Match, []rune), int) {
	if _, err := strconv.Atoi(name); err == nil {
		return numberedReference(re, name, size)
	}
	if re.GroupNumberFromName(name) < 0 {
		return nil, 0
	}
	return func(out *strings.Builder, m *regexp2.Match, _ []rune) { writeGroup(out, m.GroupByName(name)) }, size
}

func writeGroup(out *strings.Builder, group *regexp2.Group) {
	if group != nil && len(group.Captures) > 0 {
		out.WriteString(group.String())
	}
}
