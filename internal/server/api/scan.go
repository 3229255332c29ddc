package api

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner scans JSON text in one pass. It checks only that the text is JSON, and where
// values begin and end: keys may repeat, numbers may be of any size, and nesting costs
// one byte of memory a level, never a stack frame. The text must be valid UTF-8.
type scanner struct {
	text []byte
	pos  int
}

// object calls member for each member of the object at pos, which begins with
// its brace. Member must consume exactly one value. The name is valid until
// member returns.
func (s *scanner) object(member func(name []byte) error) error {
	s.pos++
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		name, err := s.name()
		if err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
		if more, err := s.more('}'); !more {
			return err
		}
	}
}

// array calls element for each element of the array at pos, which begins with
// its bracket. Element must consume exactly one value.
func (s *scanner) array(element func(index int) error) error {
	s.pos++
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for i := 0; ; i++ {
		if err := element(i); err != nil {
			return err
		}
		if more, err := s.more(']'); !more {
			return err
		}
	}
}

// value consumes the next value, however deep, and returns its text.
func (s *scanner) value() ([]byte, error) {
	s.peek()
	start := s.pos
	var shallow [64]byte
	open := shallow[:0] // the brackets that close the open values, outermost first
	for {
		closer, err := s.begin()
		if err != nil {
			return nil, err
		}
		if closer != 0 {
			open = append(open, closer)
			if s.peek() != closer {
				if err := s.nameIn(closer); err != nil {
					return nil, err
				}
				continue
			}
			s.pos++
			open = open[:len(open)-1]
		}
		for len(open) > 0 {
			closer := open[len(open)-1]
			more, err := s.more(closer)
			if err != nil {
				return nil, err
			}
			if more {
				if err := s.nameIn(closer); err != nil {
					return nil, err
				}
				break
			}
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return s.text[start:s.pos], nil
		}
	}
}

// begin consumes a scalar, or the bracket that opens an object or array, whose
// closing bracket it returns.
func (s *scanner) begin() (closer byte, err error) {
	switch c := s.peek(); {
	case c == '{':
		s.pos++
		return '}', nil
	case c == '[':
		s.pos++
		return ']', nil
	case c == '"':
		return 0, s.quoted()
	case c == '-' || '0' <= c && c <= '9':
		return 0, s.number()
	case c == 't':
		return 0, s.word("true")
	case c == 'f':
		return 0, s.word("false")
	case c == 'n':
		return 0, s.word("null")
	}
	return 0, s.unexpected("a value")
}

// more consumes the token after an element: a comma, in which case there is another
// element, or the closing bracket.
func (s *scanner) more(closer byte) (bool, error) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case closer:
		s.pos++
		return false, nil
	}
	return false, s.unexpected("a comma or " + string(closer))
}

// nameIn consumes the name of a member if closer belongs to an object.
func (s *scanner) nameIn(closer byte) error {
	if closer != '}' {
		return nil
	}
	_, err := s.name()
	return err
}

// name consumes a member's name and the colon after it.
func (s *scanner) name() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.unexpected("a name in quotes")
	}
	start := s.pos
	if err := s.quoted(); err != nil {
		return nil, err
	}
	name := s.text[start:s.pos]
	if s.peek() != ':' {
		return nil, s.unexpected("a colon")
	}
	s.pos++
	return unquoted(name), nil
}

// unquoted returns the text of a valid JSON string. A lone surrogate in it
// becomes U+FFFD.
func unquoted(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}
