package schema

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// folded returns the object with the values of enums in the schema's spelling, or nil if
// nothing changes or wanted is false.
func (s *Schema) folded(object []byte, wanted bool) []byte {
	if !wanted {
		return nil
	}
	f := folder{from: object, dec: jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true))}
	if err := f.value(s.root, 0); err != nil || f.out == nil {
		return nil
	}
	return append(f.out, object[f.done:]...)
}

// folder copies a value and replaces strings in it.
type folder struct {
	from []byte
	dec  *jsontext.Decoder
	out  []byte
	done int // bytes of from that are already in out
}

func (f *folder) value(r *rule, depth int) error {
	for r != nil && r.to != nil {
		r = r.to
	}
	if depth > MaxDepth || r == nil {
		return f.dec.SkipValue()
	}
	switch f.dec.PeekKind() {
	case '{', '[':
		return f.members(r, depth)
	case '"':
		v, err := f.dec.ReadValue()
		if err != nil {
			return err
		}
		text, err := jsontext.AppendUnquote(nil, v)
		if to, ok := r.spelled(string(text)); ok && err == nil {
			end := int(f.dec.InputOffset())
			f.out = append(append(f.out, f.from[f.done:end-len(v)]...), encode(to)...)
			f.done = end
		}
		return err
	}
	return f.dec.SkipValue()
}

func (f *folder) members(r *rule, depth int) error {
	begin, err := f.dec.ReadToken()
	if err != nil {
		return err
	}
	inObject := begin.Kind() == '{'
	for f.dec.PeekKind() != '}' && f.dec.PeekKind() != ']' {
		next := r.items
		if inObject {
			name, err := f.dec.ReadToken()
			if err != nil {
				return err
			}
			p, declared := r.props[name.String()]
			if next = p.rule; !declared {
				next = r.extra
			}
		}
		if err := f.value(next, depth+1); err != nil {
			return err
		}
	}
	_, err = f.dec.ReadToken()
	return err
}

// spelled returns the value of the rule's enum that equals text except for case. It returns
// none if two values of the enum differ by case alone.
func (r *rule) spelled(text string) (string, bool) {
	if r.words["enum"] == nil {
		return "", false
	}
	if _, exact := r.strings[text]; exact {
		return "", false
	}
	wanted, found := strings.ToLower(text), ""
	lower := make(map[string]bool, len(r.strings))
	for value := range r.strings {
		low := strings.ToLower(value)
		if lower[low] {
			return "", false
		}
		if lower[low] = true; low == wanted {
			found = value
		}
	}
	return found, found != ""
}
