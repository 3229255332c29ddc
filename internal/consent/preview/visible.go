package preview

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// concealed stands for a hidden part within a string. No UTF-8 text holds it,
// so no sender can write it.
const concealed = '\xff'

// bullets is what a person sees in its place.
const bullets = "•••"

// view decides character by character what is plainly visible.
type view struct {
	based  bool // there is a character for marks to stand on
	marks  int  // that stand on it
	symbol bool // it is one, so that a variation selector makes it an emoji
}

// plain says whether the next character can be shown as it is.
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

// blank are printable characters that most fonts leave white, and the one that
// stands for an object.
func blank(r rune) bool {
	return r == 0x2800 || r == 0x1d159 || r == 0x16fe4 || r == 0xfffc
}

// unusual says whether a text holds something that is not plainly visible,
// beside backslashes, line breaks and tabs and the signs of the preview itself.
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

// shown is a text as a person may see it: what is not plainly visible is written
// as in JSON, a backslash is doubled, and a hidden part is •••. If that needs
// more than room bytes in Arguments, the middle is left out.
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
	b.WriteString("… " + more(utf8.RuneCountInString(text[head:tail]), "character") + " (" + thousands(utf8.RuneCountInString(text)) + " in all) …")
	spell(&b, text[tail:])
	return b.String(), true
}

// simple says whether a text is shown as it is.
func simple(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '\\' || c == '"' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// prefix is how much of a text fits into room bytes.
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

// suffix is where a text must begin for the rest to fit into room bytes. It
// takes every mark for one that is written as a code.
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

// cost is how many bytes a character takes in Arguments, at most.
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

// quote appends a shown text as a JSON literal: for Text one of the value
// itself, for Arguments one of what is shown, with doubled backslashes.
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
