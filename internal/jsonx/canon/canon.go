// Package canon recognizes JSON that is already in its output form, so that its bytes
// can be used without parsing and formatting.
//
// It promises that a value it calls [Compact] or [Canonical] is valid and unambiguous.
// It does not promise to recognize all such values: most of what programs send is
// recognized; the rest is [Unknown] and must go through a JSON library.
package canon

import "unicode/utf8"

// Form is the known form of a JSON value's spelling.
type Form int

const (
	// Unknown is the form of a value that is invalid, or has a spelling that this
	// package does not recognize.
	Unknown Form = iota
	// Compact is the form of one valid JSON value without white space, without
	// duplicate names, in valid UTF-8, whose strings have no superfluous escapes, and
	// whose numbers have at most 15 characters and no exponent. It is nested at most
	// [MaxDepth] deep.
	Compact
	// Canonical is Compact in the spelling of RFC 8785: names are sorted, numbers are
	// integers.
	Canonical
)

const (
	// MaxDepth is the maximum nesting of a recognized value.
	MaxDepth = 64
	// maxUnsorted is the number of names of an object that are compared with each other
	// if they are not sorted.
	maxUnsorted = 16
	// maxNumber is the length up to which every number is the shortest spelling of a
	// 64-bit float, or another spelling of that number.
	maxNumber = 15
)

// Of returns the form of v as a whole.
func Of(v []byte) Form {
	n, form := First(v)
	if n != len(v) {
		return Unknown
	}
	return form
}

// First returns the length and the form of the value at the beginning of v; the length
// is 0 if the form is Unknown.
func First(v []byte) (n int, form Form) {
	s := scan{v: v, form: Canonical}
	end := s.value(0, 0)
	if end < 0 || s.wide && !utf8.Valid(v[:end]) {
		return 0, Unknown
	}
	return end, s.form
}

// scan is one pass over v. Each of its methods takes the index of a value's first byte
// and returns the index after the value, or -1.
type scan struct {
	v    []byte
	form Form
	wide bool // there are bytes that are not ASCII
}

// at returns the byte at index i, 0 after the end.
func (s *scan) at(i int) byte {
	if i < len(s.v) {
		return s.v[i]
	}
	return 0
}

func (s *scan) value(i, depth int) int {
	switch c := s.at(i); {
	case c == '"':
		return s.text(i)
	case c == '-' || c >= '0' && c <= '9':
		return s.number(i)
	case c == '{' && depth < MaxDepth:
		return s.object(i, depth+1)
	case c == '[' && depth < MaxDepth:
		return s.array(i, depth+1)
	case c == 't':
		return s.literal(i, "true")
	case c == 'f':
		return s.literal(i, "false")
	case c == 'n':
		return s.literal(i, "null")
	}
	return -1
}

func (s *scan) literal(i int, word string) int {
	end := i + len(word)
	if end > len(s.v) || string(s.v[i:end]) != word {
		return -1
	}
	return end
}

// text accepts only the two-character escapes: others may have a shorter spelling.
func (s *scan) text(i int) int {
	i++
	for i += Plain(s.v[min(i, len(s.v)):]); i < len(s.v); i++ {
		switch c := s.v[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			i++
			switch s.at(i) {
			case '"', '\\', 'b', 'f', 'n', 'r', 't':
			default:
				return -1
			}
		case c < ' ' || c == 0x7f:
			return -1
		case c >= utf8.RuneSelf:
			s.wide = true
		}
	}
	return -1
}

func (s *scan) number(i int) int {
	start := i
	if s.at(i) == '-' {
		i++
		if s.at(i) == '0' {
			s.form = Compact // -0 is canonically 0
		}
	}
	whole := s.digits(i)
	if whole == i || s.at(i) == '0' && whole > i+1 {
		return -1
	}
	end := whole
	if s.at(end) == '.' {
		s.form = Compact
		if end = s.digits(whole + 1); end == whole+1 {
			return -1
		}
	}
	if c := s.at(end); c == 'e' || c == 'E' || end-start > maxNumber {
		return -1
	}
	return end
}

func (s *scan) digits(i int) int {
	for c := s.at(i); c >= '0' && c <= '9'; c = s.at(i) {
		i++
	}
	return i
}

func (s *scan) array(i, depth int) int {
	if i++; s.at(i) == ']' {
		return i + 1
	}
	for {
		if i = s.value(i, depth); i < 0 {
			return -1
		}
		switch s.at(i) {
		case ',':
			i++
		case ']':
			return i + 1
		default:
			return -1
		}
	}
}
