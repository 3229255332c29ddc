package preview

import "strings"

// schemes of the Authorization header precede the secret.
var schemes = map[string]bool{"basic": true, "bearer": true, "token": true, "digest": true, "apikey": true, "negotiate": true}

// assignment hides the value in name=value, name: value, "name":"value", --name value and
// -name value if the name, which is text[from:end], is that of a secret.
func (s *scan) assignment(from, end int) {
	name := s.text[from:end]
	start, mark := valueStart(s.text, name, end)
	if start < s.address || !secretName(name) && !(from > 0 && strings.IndexByte("?&", s.text[from-1]) >= 0 && queryNames[letters(name)]) {
		return
	}
	if scheme := run(s.text, start, inWord); schemes[strings.ToLower(s.text[start:scheme])] && strings.HasPrefix(s.text[scheme:], " ") {
		start = run(s.text, scheme, isSpace)
	}
	stop := valueEnd(s.text, start, mark)
	if last := strings.LastIndex(s.text[start:stop], "://"); last >= 0 {
		s.address = start + last // an address is shown
		return
	}
	s.hide(start, stop)
	if strings.HasSuffix(strings.ToLower(name), "cookie") {
		s.cookies(stop)
	}
}

// cookies hides all values after the first in a=b; c=d.
func (s *scan) cookies(from int) {
	for strings.HasPrefix(s.text[from:], ";") {
		start := run(s.text, from+1, isSpace)
		from = valueEnd(s.text, start, 0)
		if !strings.Contains(s.text[start:from], "=") {
			return
		}
		s.hide(start, from)
	}
}

// valueStart returns the start of a name's value, or -1. The mark is the quote before it, 0
// for none.
func valueStart(text, name string, end int) (start int, mark byte) {
	i := end
	if !strings.HasPrefix(name, "-") || len(name) < 3 || i >= len(text) || !isSpace(text[i]) {
		i = run(text, run(text, i, isQuote), isSpace)
		if i >= len(text) || text[i] != '=' && text[i] != ':' {
			return -1, 0
		}
		i++
	}
	spaced := i == end
	i = run(text, i, isSpace)
	if spaced && i < len(text) && text[i] == '-' {
		return -1, 0 // another option
	}
	start = run(text, i, isQuote)
	if start > i && text[start-1] != '\\' {
		mark = text[start-1]
	}
	return start, mark
}

// valueEnd returns the end of a value: the closing quote, or the next space, quote,
// separator or sign with a meaning in a shell.
func valueEnd(text string, from int, mark byte) int {
	plain := -1
	for i := from; i < len(text); i++ {
		c := text[i]
		acts := c == '`' || c == '$' && i+1 < len(text) && (text[i+1] == '(' || text[i+1] == '{')
		switch {
		case mark != 0 && c == mark:
			if i > from && text[i-1] == '\\' {
				i--
			}
			return i
		case plain < 0 && (acts || c <= ' ' || strings.IndexByte("\"',;&|<>(){}[]\\", c) >= 0):
			plain = i
		}
		if plain >= 0 && (mark == 0 || acts || c == '\n') {
			return plain
		}
	}
	if plain >= 0 {
		return plain
	}
	return len(text)
}

// isQuote includes the backslash before a quote within a quoted text.
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '\\' }
