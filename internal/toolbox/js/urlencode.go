package js

import (
	"strings"
)

// Characters to escape in addition to control characters and everything beyond ASCII.
const (
	fragmentSet = " \"<>`"
	querySet    = " \"#<>"
	pathSet     = querySet + "?^`{}"
	userinfoSet = pathSet + `/:;=@[\]|`
)

const upperHex = "0123456789ABCDEF"

// escape replaces the characters of a set, and all that is not plain ASCII, by %XX.
// Existing escapes stay unchanged.
func escape(s, set string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte(set, c) >= 0 {
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escapeQuery(query string, special bool) string {
	if special {
		return escape(query, querySet+"'")
	}
	return escape(query, querySet)
}

// unescape replaces %XX by the byte it encodes; a % before anything else stays.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0 {
			b.WriteByte(byte(hexDigit(s[i+1])<<4 | hexDigit(s[i+2])))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// hexDigit returns the value of a hexadecimal digit, -1 if c is none.
func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// escapeForm escapes a name or value of a form.
func escapeForm(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b.WriteByte('+')
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', strings.IndexByte("*-._", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
		}
	}
	return b.String()
}

func unescapeForm(s string) string {
	text, _ := decodeText("utf-8", []byte(unescape(strings.ReplaceAll(s, "+", " "))))
	return text
}
