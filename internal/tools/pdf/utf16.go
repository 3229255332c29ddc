package pdf

import "unicode/utf16"

// toUTF16 encodes a text in big-endian UTF-16, with a byte order mark.
func toUTF16(s string) string {
	if s == "" {
		return ""
	}
	w := []byte("\xfe\xff")
	for _, unit := range utf16.Encode([]rune(s)) {
		w = append(w, byte(unit>>8), byte(unit))
	}
	return string(w)
}
