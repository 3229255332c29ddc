package preview

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// concealed represents a hidden part within a string. It is not valid in UTF-8 text, so no
// sender can write it.
const concealed = '\xff'

// bullets is the visible form of concealed.
const bullets = "•••"

// view decides for each character whether it is plainly visible.
type view struct {
	based  bool // there is a base character for marks
	marks  int  // the marks on it
	symbol bool // it is one, so that a variation selector makes it an emoji
}

// plain reports whether the next character can be shown unchanged.
func (v *view) plain(r rune) bool {
	if r < utf8.RuneSelf {
		v.based, v.marks, v.symbol = r >= ' ' && r != 0x7f, 0, false
		return v.based && r != '\\'
	}
	if r == 0xfe0f && v.symbol {
		v.symbol = false
		return true
	}
	ok := unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !blank(r) &&
		r != '…' && r != '•'
	v.symbol = ok && unicode.Is(unicode.So, r)
	if !unicode.Is(unicode.M, r) {
		v.based, v.marks = ok, 0
		return ok
	}
	v.marks++
	return ok && v.based && v.marks <= 2
}

// blank reports whether a printable character is empty in most fonts, or a placeholder for
// an object.
func blank(r rune) bool {
	return r == 0x2800 || r == 0x1d159 || r == 0x16fe4 || r == 0xfffc
}

// unusual reports whether a text has a character that is not plainly visible, apart from
// backslashes, line breaks, tabs and the signs of the preview itself.
func unusual(text string) bool {
	var v view
	for i, r := range text {
		if v.plain(r) {
			continue
		}
		switch {
		case r == '\\', r == '\n', r == '\t', r == '…', r == '•':
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
		default:
			return true
		}
	}
	return false
}

// shown returns the visible form of a text: characters that are not plainly visible are
// written as in JSON, a backslash is doubled, and a hidden part is •••. If that needs more
// than room bytes in Arguments, the middle is left out.
func shown(text string, room int) (out string, cut bool) {
	if len(text) <= room && simple(text) {
		return text, false
	}
	var b strings.Builder
	if end := prefix(text, room); end == len(text) {
		spell(&b, text)
		return b.String(), false
	}
	head := prefix(text, room*2/3)
	tail := head + suffix(text[head:], room-room*2/3)
	spell(&b, text[:head])
	b.WriteString("… " + more(utf8.RuneCountInString(text[head:tail]), "character") + " (" + thousands(utf8.RuneCountInString(text)) +
		" in all) …")
	spell(&b, text[tail:])
	return b.String(), true
}

// simple reports whether a text is shown unchanged.
func simple(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '\\' || c == '"' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// prefix returns the length of the longest start of a text that fits into room bytes.
func prefix(text string, room int) int {
	var v view
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if room -= cost(r, size, v.plain(r)); room < 0 {
			return i
		}
		i += size
	}
	return len(text)
}

// suffix returns the position from which the rest of a text fits into room bytes. It counts
// every mark as if it were written as a code.
func suffix(text string, room int) int {
	for end := len(text); end > 0; {
		var v view
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if room -= cost(r, size, v.plain(r)); room < 0 {
			return end
		}
		end -= size
	}
	return 0
}

// cost returns the maximum number of bytes that a character takes in Arguments.
func cost(r rune, size int, plain bool) int {
	switch {
	case r == utf8.RuneError && size == 1:
		return len(bullets)
	case r == '<' || r == '>' || r == '&':
		return len(`\u003c`)
	case r == '"':
		return len(`\"`)
	case plain:
		return size
	case r > 0xffff:
		return len(`\\ud83d\\ude00`)
	}
	return len(`\\u202e`)
}

func spell(b *strings.Builder, text string) {
	var v view
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch plain := v.plain(r); {
		case r == utf8.RuneError && size == 1 && text[i] == omitted:
			b.WriteString("…")
		case r == utf8.RuneError && size == 1:
			b.WriteString(bullets)
		case plain:
			b.WriteString(text[i : i+size])
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			code(b, high)
			code(b, low)
		default:
			code(b, r)
		}
		i += size
	}
}

func code(b *strings.Builder, r rune) {
	hex := strconv.FormatUint(uint64(r), 16)
	b.WriteString(`\u` + "0000"[len(hex):] + hex)
}

// quote appends a shown text as a JSON literal: for Text a literal of the value itself, for
// Arguments a literal of the shown text, with doubled backslashes.
func quote(dst []byte, text string, double bool) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"', c == '\\' && double:
			dst = append(dst, '\\', c)
		case c == '<', c == '>', c == '&':
			dst = append(dst, `\u00`...)
			dst = strconv.AppendUint(dst, uint64(c), 16)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
