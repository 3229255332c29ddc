package webapi

import (
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/net/html/charset"
)

// guessed is the number of bytes of a body from which the encoding is guessed.
const guessed = 16 << 10

// decode converts a body to UTF-8. The declaration of the server or the page takes
// precedence; undeclared text is UTF-8 if it is valid, and guessed otherwise. cut is
// set if raw may end within a character.
func decode(raw []byte, contentType string, cut bool) string {
	text, _ := decodeNamed(raw, contentType, cut)
	return text
}

// decodeNamed is decode, and returns the name of the encoding.
func decodeNamed(raw []byte, contentType string, cut bool) (text, name string) {
	enc, name, certain := charset.DetermineEncoding(raw, contentType)
	// The library also returns Windows-1252 when it cannot tell.
	if !certain && (name == "windows-1252" || name == "utf-8") {
		if utf8.Valid(wholeRunes(raw)) {
			name = "utf-8"
		} else if guess := chardet.Detect(raw[:min(len(raw), guessed)]); guess.Confidence > 0.5 {
			if e, n := charset.Lookup(guess.Encoding); e != nil {
				enc, name = e, n
			}
		}
	}
	if name == "utf-8" {
		if cut {
			raw = wholeRunes(raw)
		}
		return valid(strings.TrimPrefix(string(raw), "\uFEFF")), name
	}
	out, err := enc.NewDecoder().Bytes(raw)
	if err != nil {
		return valid(string(raw)), name
	}
	text = strings.TrimPrefix(string(out), "\uFEFF")
	if cut {
		text = strings.TrimSuffix(text, "\uFFFD")
	}
	return valid(text), name
}

// wholeRunes returns b without an incomplete character at its end.
func wholeRunes(b []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}
