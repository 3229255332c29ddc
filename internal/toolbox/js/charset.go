package js

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decodeText decodes data and reports whether all of it was valid. Invalid bytes become
// U+FFFD.
func decodeText(encoding string, data []byte) (text string, valid bool) {
	switch encoding {
	case "utf-16le":
		return decodeUTF16(data)
	case "windows-1252":
		out, err := charmap.Windows1252.NewDecoder().Bytes(data)
		return string(out), err == nil
	}
	if utf8.Valid(data) {
		return string(data), true
	}
	return replaceInvalid(data), false
}

// decodeUTF8 returns a body as text, without its byte order mark.
func decodeUTF8(data []byte) string {
	text, _ := decodeText("utf-8", data)
	return strings.TrimPrefix(text, "\uFEFF")
}

func decodeUTF16(data []byte) (text string, valid bool) {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	runes := utf16.Decode(units)
	valid = len(data)%2 == 0
	if !valid {
		runes = append(runes, utf8.RuneError)
	}
	again := utf16.Encode(runes)
	for i, u := range units {
		valid = valid && again[i] == u
	}
	return string(runes), valid
}

// replaceInvalid replaces each longest invalid prefix of a character by one U+FFFD, as
// browsers do.
func replaceInvalid(data []byte) string {
	var b strings.Builder
	for len(data) > 0 {
		c, n := utf8.DecodeRune(data)
		if c == utf8.RuneError && n == 1 {
			n = begun(data)
		}
		b.WriteRune(c)
		data = data[n:]
	}
	return b.String()
}

// begun returns the number of bytes at the start of invalid data that could have begun
// a character; at least 1.
func begun(data []byte) int {
	low, high, length := byte(0x80), byte(0xBF), 0
	switch c := data[0]; {
	case c >= 0xC2 && c <= 0xDF:
		length = 2
	case c >= 0xE0 && c <= 0xEF:
		length = 3
	case c >= 0xF0 && c <= 0xF4:
		length = 4
	}
	switch data[0] { // these lead bytes allow fewer seconds
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n < length && n < len(data) && data[n] >= low && data[n] <= high {
		low, high = 0x80, 0xBF
		n++
	}
	return n
}
