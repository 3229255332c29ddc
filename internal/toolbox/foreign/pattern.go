package foreign

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// portablePattern returns an expression of ECMAScript, the dialect of JSON Schema, in a form
// that means the same there and in RE2: escapes of single characters become the characters.
// Ok is false if there is no such form, or if it would hold invisible characters. It does not
// check what RE2 refuses by itself, such as lookaround and back references.
func portablePattern(text string) (portable string, ok bool) {
	var out strings.Builder
	inClass := false
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\\':
			piece, n, ok := portableEscape(text[i:], inClass)
			if !ok {
				return "", false
			}
			out.WriteString(piece)
			i += n
			continue
		case c == '[' && !inClass:
			if rest := text[i:]; strings.HasPrefix(rest, "[^]") { // any character
				out.WriteString(`[\s\S]`)
				i += len("[^]")
				continue
			} else if strings.HasPrefix(rest, "[]") { // none
				return "", false
			}
			inClass = true
		case c == '[' && strings.HasPrefix(text[i:], "[:"): // a class of RE2 only
			return "", false
		case c == ']':
			inClass = false
		}
		out.WriteByte(text[i])
		i++
	}
	return out.String(), !Hidden(out.String())
}

// portableEscape returns the replacement of the escape that a text begins with, and the
// escape's length.
func portableEscape(text string, inClass bool) (piece string, n int, ok bool) {
	if len(text) < 2 {
		return "", 0, false
	}
	switch c := text[1]; c {
	case 'u':
		r, n, ok := codePoint(text)
		if !ok {
			return "", 0, false
		}
		if r < 0x80 {
			return fmt.Sprintf(`\x%02x`, r), n, true
		}
		return string(r), n, true
	case 'c':
		if len(text) < 3 || !isLetter(text[2]) {
			return "", 0, false
		}
		return fmt.Sprintf(`\x%02x`, text[2]%32), 3, true
	case 'b':
		if inClass { // a backspace
			return `\x08`, 2, true
		}
	case '0':
		return `\x00`, 2, len(text) == 2 || text[2] < '0' || text[2] > '9'
	case 'A', 'z', 'Z', 'Q', 'E', 'C', 'G', 'a', 'h', 'H', 'R', 'X', 'N':
		return "", 0, false // letters in ECMAScript, or an error; something else in other dialects
	}
	return text[:2], 2, true
}

// codePoint reads \uXXXX, also as a surrogate pair, or \u{X}.
func codePoint(text string) (r rune, n int, ok bool) {
	if strings.HasPrefix(text, `\u{`) {
		end := strings.IndexByte(text, '}')
		if end < 0 {
			return 0, 0, false
		}
		v, err := strconv.ParseUint(text[3:end], 16, 21)
		return rune(v), end + 1, err == nil
	}
	if r, ok = unit(text); !ok {
		return 0, 0, false
	}
	if utf16.IsSurrogate(r) {
		low, ok := unit(text[6:])
		r = utf16.DecodeRune(r, low)
		return r, 12, ok && r != '\ufffd'
	}
	return r, 6, true
}

// unit reads \uXXXX.
func unit(text string) (rune, bool) {
	if len(text) < 6 || !strings.HasPrefix(text, `\u`) {
		return 0, false
	}
	v, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(v), err == nil
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }
