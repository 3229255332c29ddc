package webapi

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

func encoded(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDecode(t *testing.T) {
	const japaneseText = "\u65e5\u672c\u8a9e"
	const russian = "Привет, как дела? Это обычный русский текст без изысков. В России много городов и рек, и все они разные."
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	for _, tt := range []struct {
		name, raw, contentType string
		cut                    bool
		want                   string
	}{
		{"empty", "", "", false, ""},
		{"plain", "héllo", "text/plain", false, "héllo"},
		{"late accents", strings.Repeat("x", 2000) + "é", "text/plain", false, strings.Repeat("x", 2000) + "é"},
		{"byte order mark", "\uFEFFx", "text/plain; charset=utf-8", false, "x"},
		{"broken", "a\xffb", "text/plain; charset=utf-8", false, "a\uFFFDb"},
		{"cut", "aé\xc3", "text/plain", true, "aé"},
		{"cut in the middle", "a\xe2\x82", "text/plain; charset=utf-8", true, "a"},
		{"declared", encoded(t, charmap.ISO8859_15, "10 €"), "text/plain; charset=ISO-8859-15", false, "10 €"},
		{"unknown charset", "héllo", "text/plain; charset=none", false, "héllo"},
		{
			"in the page", `<meta charset="shift_jis">` + encoded(t, japanese.ShiftJIS, japaneseText), "text/html", false,
			`<meta charset="shift_jis">` + japaneseText,
		},
		{
			"cut in the page", `<meta charset="shift_jis">` + encoded(t, japanese.ShiftJIS, japaneseText)[:5], "text/html", true,
			`<meta charset="shift_jis">` + japaneseText[:6],
		},
		{"wide", encoded(t, utf16, "héllo"), "text/plain", false, "héllo"},
		{"guessed", encoded(t, charmap.Windows1251, russian), "text/plain", false, russian},
		{"western", encoded(t, charmap.Windows1252, "déjà vu"), "text/plain; charset=windows-1252", false, "déjà vu"},
	} {
		if got := decode([]byte(tt.raw), tt.contentType, tt.cut); got != tt.want {
			t.Errorf("%s: decode(%q, %q) = %q, want %q", tt.name, tt.raw, tt.contentType, got, tt.want)
		}
	}
}
