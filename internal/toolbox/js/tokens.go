package js

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// space passes white space and comments.
func (m *meter) space() {
	for m.pos < len(m.src) {
		rest := m.src[m.pos:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case strings.HasPrefix(rest, "//"):
			size = m.line(m.pos) - m.pos
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				size = len(rest)
				break
			}
			size = end + 4
			m.newline = m.newline || strings.ContainsAny(rest[:size], "\n\r\u2028\u2029")
		case isNewline(r):
			m.newline = true
		case !unicode.IsSpace(r) && r != '\ufeff':
			return
		}
		m.pos += size
	}
}

// line returns the index of the beginning of the line of pos.
func (m *meter) line(pos int) int {
	if n := strings.IndexAny(m.src[pos:], "\n\r\u2028\u2029"); n >= 0 {
		return pos + n
	}
	return len(m.src)
}

func isNewline(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

// token reads one token.
func (m *meter) token() string {
	c := m.src[m.pos]
	rest := m.src[m.pos:]
	if isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]) {
		return m.number(numeral.FindString(rest))
	}
	r, _ := utf8.DecodeRuneInString(rest)
	if startsWord(r) || c == '#' || c == '\\' {
		return m.name()
	}
	m.count("")
	m.pos++
	switch c {
	case '(', '[', '{':
		return m.open(c)
	case ')', ']', '}':
		return m.shut(c)
	case '"', '\'':
		return m.quoted(c)
	case '`':
		return m.template()
	case '/':
		return m.slash()
	case ',':
		l := &m.levels[len(m.levels)-1]
		m.set(l, l.floor)
	case ';':
		m.levels[len(m.levels)-1].ended = true
	case '+', '-':
		if m.pos < len(m.src) && m.src[m.pos] == c {
			m.pos++
			after := m.after
			if after == behind && m.newline { // a++ or ++b
				after = doubtful
			}
			m.see(after, c)
			return ""
		}
	case '.':
		if strings.HasPrefix(rest, "...") {
			m.pos += 2
			c = '+' // an operand follows, not the name of a property
		}
	case '=':
		if m.pos < len(m.src) && m.src[m.pos] == '>' {
			m.pos++
			return m.arrow()
		}
	default:
		if c >= utf8.RuneSelf {
			return "unexpected character"
		}
	}
	m.see(before, c)
	return ""
}

func (m *meter) arrow() string {
	if m.closed != nil {
		m.deepen(m.closed.arrows + 1)
		if m.closed.arrows >= maxArrows {
			return "arrow functions nest too deeply in the parameters of arrow functions"
		}
	}
	m.see(before, '>')
	return ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numeral reads a number.
var numeral = regexp.MustCompile(
	`^(?:0[xX][0-9a-fA-F_]+n?|0[oO][0-7_]+n?|0[bB][01_]+n?|[0-9][0-9_]*n|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?)`,
)

func (m *meter) number(number string) string {
	m.count("")
	m.pos += len(number)
	if r, _ := utf8.DecodeRuneInString(m.src[m.pos:]); startsWord(r) || r == '\\' || unicode.IsDigit(r) {
		return "a number is malformed"
	}
	m.see(behind, '0')
	return ""
}

func startsWord(r rune) bool {
	return unicode.IsLetter(r) || r == '$' || r == '_' || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
}

func inWord(r rune) bool {
	return startsWord(r) || r == '\u200c' || r == '\u200d' ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

// name reads an identifier or a keyword.
func (m *meter) name() string {
	start := m.pos
	private := m.src[m.pos] == '#'
	if private {
		m.pos++
	}
	for m.pos < len(m.src) {
		r, size := utf8.DecodeRuneInString(m.src[m.pos:])
		if r == '\\' {
			return "a name contains an escape; write the character itself"
		}
		if !inWord(r) {
			break
		}
		m.pos += size
	}
	word := m.src[start:m.pos]
	if private || m.last == '.' { // a property may have the name of a keyword
		word = ""
	}
	if word == "await" && m.word == "for" {
		return "for await is not supported; await each value in the loop"
	}
	m.count(word)
	switch {
	case wantsOperand[word]:
		m.see(before, 'a')
	case word == "await" || word == "yield" || word == "of":
		m.see(doubtful, 'a')
	default:
		m.see(behind, 'a')
	}
	m.word = word
	return ""
}

// quoted reads up to the quote that ends a string.
func (m *meter) quoted(quote byte) string {
	for m.pos < len(m.src) && m.src[m.pos] != '\n' && m.src[m.pos] != '\r' {
		switch m.src[m.pos] {
		case quote:
			m.pos++
			m.see(behind, quote)
			return ""
		case '\\':
			m.escape()
		}
		m.pos++
	}
	return "a string does not end on its line"
}

// escape skips a backslash; the escaped character is skipped next.
func (m *meter) escape() {
	m.pos++
	if strings.HasPrefix(m.src[m.pos:], "\r\n") {
		m.pos++
	}
}

// template reads to the end of a template or to its next expression.
func (m *meter) template() string {
	for ; m.pos < len(m.src); m.pos++ {
		switch m.src[m.pos] {
		case '`':
			m.pos++
			m.see(behind, '`')
			return ""
		case '\\':
			m.escape()
		case '$':
			if strings.HasPrefix(m.src[m.pos:], "${") {
				m.pos += 2
				return m.open('`')
			}
		}
	}
	return "a template does not end"
}

// slash reads a division or a regexp.
func (m *meter) slash() string {
	// On a new line it may also begin a statement, behind let a for example.
	if m.after == doubtful || m.after == behind && m.newline {
		return "it is unclear whether a slash divides here; move it to the line before, or put a semicolon before it"
	}
	if m.after == behind {
		m.see(before, '/')
		return ""
	}
	class := false
	for m.pos < len(m.src) {
		r, size := utf8.DecodeRuneInString(m.src[m.pos:])
		switch {
		case isNewline(r):
			return "a regular expression does not end on its line"
		case r == '\\':
			m.pos++
			if r, size = utf8.DecodeRuneInString(m.src[m.pos:]); isNewline(r) {
				return "a regular expression does not end on its line"
			}
		case r == '[':
			class = true
		case r == ']':
			class = false
		case r == '/' && !class:
			m.pos++
			m.see(behind, '/')
			return ""
		}
		m.pos += size
	}
	return "a regular expression does not end"
}
