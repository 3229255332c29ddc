package codingagents

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"a\r\nb\nc":                          "a\nb\nc",
		"a\r\r\nb":                           "a\nb",
		"10%\r20%\r\x1b[K30%\n":              "10%\n20%\n30%\n",
		"\x1b[1;31mred\x1b[0m":               "red",
		"\x1b[38;2;1;2;3mx\x1b[?25l\x1b[2Jy": "xy",
		"\x1b]0;title\x07a":                  "a",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\.":       "link.",
		"\x1bP1$r0m\x1b\\a\x1b_x\x1b\\b\x1b^y\x1b\\c":     "abc",
		"\x1b(Ba\x1b)0b\x1b#8c":                           "abc",
		"\x1b7a\x1b8b\x1b=c\x1bMd":                        "abcd",
		"\x1b\x1b[31ma":                                   "a",
		"\x1b[31\nb":                                      "\nb",
		"\x1b\nb":                                         "\nb",
		"bell\x07 back\x08 del\x7f nul\x00.":              "bell back del nul.",
		"tab\tä€😀":                                        "tab\tä€😀",
		"\xff\xc3(":                                       "\uFFFD\uFFFD(",
		"\xc2\x9b\xc2\x85x":                               "x",
		"\x1b]" + strings.Repeat("x", maxText+1) + "y":    "y",
		"\x1b[" + strings.Repeat("1", maxParams+1) + "2y": "2y",
	} {
		var p plain
		if got := p.write([]byte(in)); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzPlain: no terminal control remains, and the borders of the pieces do not matter.
func FuzzPlain(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b]0;t\x07\r\nä\x1b(B\xff"), 3)
	f.Add([]byte("\x1bPx\x1b\x1b[m\xe2\x82\xac\r"), 9)
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		var whole, parts plain
		text := whole.write(in)
		for _, r := range text {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f {
				t.Fatalf("plain(%q) = %q holds %q", in, text, r)
			}
		}
		if !utf8.ValidString(text) {
			t.Fatalf("plain(%q) = %q is not valid", in, text)
		}
		cut = min(max(0, cut), len(in))
		if got := parts.write(in[:cut]) + parts.write(in[cut:]); got != text {
			t.Fatalf("cut at %d plain(%q) = %q, in one %q", cut, in, got, text)
		}
	})
}

// FuzzRedact: the secret is hidden wherever the pieces are cut, and everything else is
// unchanged.
func FuzzRedact(f *testing.F) {
	f.Add("the key is sk-secret-1 and sk-secretsk-secret-1", "sk-secret-1", 15)
	f.Add("aaaaaaaaaaab", "aaaaab", 4)
	f.Fuzz(func(t *testing.T, text, secret string, cut int) {
		r := redact{secret: secret}
		cut = min(max(0, cut), len(text))
		got := r.write(text[:cut]) + r.write(text[cut:]) + r.rest()
		if len(secret) < minSecret {
			if got != text {
				t.Fatalf("without a secret %q became %q", text, got)
			}
			return
		}
		shows := func(piece string) bool { return strings.Contains(piece, secret) }
		if !strings.Contains(redacted, secret) && slices.ContainsFunc(strings.Split(got, redacted), shows) {
			t.Fatalf("%q cut at %d became %q, which holds %q", text, cut, got, secret)
		}
		if !strings.Contains(text, secret) && got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
