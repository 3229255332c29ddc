package textcut

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Head("aä€", 1), "a"}, {Head("aä€", 2), "a"}, {Head("aä€", 3), "aä"}, {Head("a", 9), "a"}, {Head("ä", -1), ""},
		{Tail("aä€", 3), "€"}, {Tail("aä€", 4), "€"}, {Tail("aä€", 5), "ä€"}, {Tail("a", 9), "a"}, {Tail("a", -1), ""},
		{First("aä€", 2), "aä"}, {First("aä€", 0), ""}, {First("aä€", 9), "aä€"}, {First("ä", -1), ""},
		{Last("aä€", 2), "ä€"}, {Last("aä€", 9), "aä€"}, {Last("", 9), ""}, {Last("a", 0), ""}, {Last("a", -1), ""},
		{Clip("aä€", 6), "aä€"}, {Clip("aä€", 2), "a…"}, {Clip("aä€", 0), "…"}, {Clip("\xffabc", 2), "a…"},
		{Fit("aä€", 6), "aä€"}, {Fit("abcdef", 5), "ab…"}, {Fit("äbcdef", 4), "…"}, {Fit("abcdef", 1), "…"},
		{FitChars("aä€", 3), "aä€"}, {FitChars("aä€b", 3), "aä…"}, {FitChars("ab", 1), "…"},
		{Excerpt("aä€", 3), "aä€"}, {Excerpt("aä€b", 3), "aä€..."}, {Excerpt("", 0), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("aä€b👨‍👩‍👧", 5)
	f.Add("\xff\x80\x80\x80\x80", 3)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most %= 50
		room := max(most, 0)
		head, tail := Head(text, most), Tail(text, most)
		if len(head) > room || !strings.HasPrefix(text, head) {
			t.Errorf("Head(%q, %d) = %q", text, most, head)
		}
		if len(tail) > room || !strings.HasSuffix(text, tail) {
			t.Errorf("Tail(%q, %d) = %q", text, most, tail)
		}
		if got := First(text, most); utf8.RuneCountInString(got) != min(room, utf8.RuneCountInString(text)) {
			t.Errorf("First(%q, %d) = %q", text, most, got)
		}
		if got := Last(text, most); utf8.RuneCountInString(got) > room || !strings.HasSuffix(text, got) {
			t.Errorf("Last(%q, %d) = %q", text, most, got)
		}
		if got := Fit(text, most); len(got) > max(most, len(Mark)) || got != text && !utf8.ValidString(got) {
			t.Errorf("Fit(%q, %d) = %q", text, most, got)
		}
		if utf8.ValidString(text) && !(utf8.ValidString(head) && utf8.ValidString(tail)) {
			t.Errorf("Head or Tail of %q with %d bytes splits a character: %q, %q", text, most, head, tail)
		}
	})
}
