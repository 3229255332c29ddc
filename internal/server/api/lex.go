package api

import (
	"strings"
)

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// quoted consumes a string.
func (s *scanner) quoted() error {
	for i := s.pos + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return nil
		case c == '\\':
			size := escape(s.text[i+1:])
			if size == 0 {
				s.pos = i
				return s.unexpected("an escape sequence of JSON")
			}
			i += size
		case c < ' ':
			s.pos = i
			return s.unexpected("no raw control character in a string")
		}
	}
	s.pos = len(s.text)
	return s.unexpected("the end of a string")
}

// escape returns the length of a valid escape after a backslash, 0 if it is invalid.
func escape(text []byte) int {
	switch {
	case len(text) == 0:
		return 0
	case text[0] != 'u':
		if strings.IndexByte(`"\/bfnrt`, text[0]) < 0 {
			return 0
		}
		return 1
	case len(text) < 5:
		return 0
	}
	for _, c := range text[1:5] {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return 0
		}
	}
	return 5
}

// number consumes a number.
func (s *scanner) number() error {
	if s.text[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.text) && s.text[s.pos] == '0' {
		s.pos++
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.pos < len(s.text) && s.text[s.pos] == '.' {
		s.pos++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if s.pos < len(s.text) && s.text[s.pos]|0x20 == 'e' {
		s.pos++
		if s.pos < len(s.text) && (s.text[s.pos] == '+' || s.text[s.pos] == '-') {
			s.pos++
		}
		return s.digits()
	}
	return nil
}

// digits consumes one or more digits.
func (s *scanner) digits() error {
	start := s.pos
	for s.pos < len(s.text) && '0' <= s.text[s.pos] && s.text[s.pos] <= '9' {
		s.pos++
	}
	if s.pos == start {
		return s.unexpected("a digit")
	}
	return nil
}

// word consumes true, false or null.
func (s *scanner) word(word string) error {
	if !strings.HasPrefix(string(s.text[s.pos:min(s.pos+len(word), len(s.text))]), word) {
		return s.unexpected("a value")
	}
	s.pos += len(word)
	return nil
}

// unexpected returns the error for a body that is not JSON at pos.
func (s *scanner) unexpected(want string) *RequestError {
	if s.pos >= len(s.text) {
		return BadRequest("the body is not JSON: it ends at byte %d, expected %s", s.pos, want)
	}
	return BadRequest("the body is not JSON: byte %d is %q, expected %s", s.pos, s.text[s.pos], want)
}
