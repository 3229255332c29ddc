package pdftext

import (
	"bytes"
	"strconv"
	"strings"
)

// A token of a content stream or a character map: float64, text, name, operator, []any
// for an array, or nil for tokens that are not used here (a dictionary).
type (
	text     string
	name     string
	operator string
)

// lexer reads the tokens of a content stream (PDF 32000-1, 7.8.2) or of a character
// map, which has the same syntax.
type lexer struct {
	data []byte
	at   int
}

const (
	spaces     = "\x00\t\n\f\r "
	delimiters = "()<>[]{}/%"
)

// next returns a token; ok is false at the end.
func (l *lexer) next() (token any, ok bool) { return l.token(0) }

func (l *lexer) token(depth int) (token any, ok bool) {
	const deepest = 32
	for l.at < len(l.data) {
		c := l.data[l.at]
		switch {
		case strings.IndexByte(spaces, c) >= 0 || c == ')' || c == '{' || c == '}':
			l.at++
		case c == '%':
			l.skipTo("\r\n")
		case c == '(':
			return l.literal(), true
		case c == '/':
			l.at++
			return name(unescaped(l.word())), true
		case bytes.HasPrefix(l.data[l.at:], []byte("<<")), bytes.HasPrefix(l.data[l.at:], []byte(">>")):
			l.at += 2
			return nil, true
		case c == '<':
			return l.hex(), true
		case c == '>':
			l.at++
		case c == '[':
			l.at++
			if depth < deepest {
				return l.array(depth + 1), true
			}
		case c == ']':
			l.at++
			if depth > 0 {
				return operator("]"), true
			}
		default:
			w := l.word()
			if v, err := strconv.ParseFloat(w, 64); err == nil {
				return v, true
			}
			return operator(w), true
		}
	}
	return nil, false
}

func (l *lexer) array(depth int) []any {
	var all []any
	for {
		item, ok := l.token(depth)
		if !ok || item == operator("]") {
			return all
		}
		all = append(all, item)
	}
}

func (l *lexer) skipTo(stops string) {
	for l.at < len(l.data) && strings.IndexByte(stops, l.data[l.at]) < 0 {
		l.at++
	}
}

func (l *lexer) word() string {
	from := l.at
	l.skipTo(spaces + delimiters)
	return string(l.data[from:l.at])
}

// unescaped resolves #xx in names.
func unescaped(s string) string {
	if !strings.Contains(s, "#") {
		return s
	}
	var w strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '#' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				w.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		w.WriteByte(s[i])
	}
	return w.String()
}

// literal reads a string in parentheses.
func (l *lexer) literal() text {
	var w []byte
	depth := 0
	for ; l.at < len(l.data); l.at++ {
		switch c := l.data[l.at]; c {
		case '(':
			if depth++; depth > 1 {
				w = append(w, c)
			}
		case ')':
			if depth--; depth == 0 {
				l.at++
				return text(w)
			}
			w = append(w, c)
		case '\\':
			w = l.escape(w)
		default:
			w = append(w, c)
		}
	}
	return text(w)
}

// escape reads an escape sequence and leaves at on its last byte.
func (l *lexer) escape(w []byte) []byte {
	l.at++
	if l.at >= len(l.data) {
		return w
	}
	c := l.data[l.at]
	if i := strings.IndexByte("nrtbf", c); i >= 0 {
		return append(w, "\n\r\t\b\f"[i])
	}
	switch {
	case c == '\n':
		return w // the string goes on in the next line
	case c == '\r':
		if l.at+1 < len(l.data) && l.data[l.at+1] == '\n' {
			l.at++
		}
		return w
	case c < '0' || c > '7':
		return append(w, c)
	}
	value := 0
	for i := 0; i < 3 && l.at < len(l.data) && '0' <= l.data[l.at] && l.data[l.at] <= '7'; i++ {
		value = 8*value + int(l.data[l.at]-'0')
		l.at++
	}
	l.at--
	return append(w, byte(value))
}

// hex reads a string in angle brackets.
func (l *lexer) hex() text {
	l.at++
	var w []byte
	half, digits := byte(0), 0
	for ; l.at < len(l.data) && l.data[l.at] != '>'; l.at++ {
		i := strings.IndexByte("0123456789abcdef", l.data[l.at]|0x20)
		if i < 0 || l.data[l.at] < '0' {
			continue
		}
		half = half<<4 | byte(i)
		if digits++; digits%2 == 0 {
			w = append(w, half)
			half = 0
		}
	}
	if digits%2 == 1 {
		w = append(w, half<<4)
	}
	l.at++
	return text(w)
}
