package textsplit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want []string
	}{
		{"", 10, nil},
		{"short", 10, []string{"short"}},
		{"one two\n\nthree four", 12, []string{"one two\n\n", "three four"}},
		{"one two\r\n\r\nthree four", 14, []string{"one two\r\n\r\n", "three four"}},
		{"one two\nthree four", 12, []string{"one two\n", "three four"}},
		{"One two. Three four", 12, []string{"One two. ", "Three four"}},
		{"one two three", 9, []string{"one two ", "three"}},
		{"一二。三四五六", 12, []string{"一二。", "三四五六"}},
		{"ääääää", 5, []string{"ää", "ää", "ää"}},
		{"😀😀", 1, []string{"😀", "😀"}},
	} {
		if diff := cmp.Diff(tt.want, Split(tt.text, tt.most)); diff != "" {
			t.Errorf("Split(%q, %d) (-want +got):\n%s", tt.text, tt.most, diff)
		}
	}
}

func TestAround(t *testing.T) {
	for text, want := range map[string][3]string{"": {}, " \n": {" \n"}, "a b": {"", "a b", ""}, "\ta\r\n": {"\t", "a", "\r\n"}} {
		before, core, after := Around(text)
		if got := [3]string{before, core, after}; got != want {
			t.Errorf("Around(%q) = %q", text, got)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("one. two\n\nthree 一二。", 5)
	f.Add("\x80\x80\x80\x80\x80\x80", 4)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 4 + most&0x7f
		parts := Split(text, most)
		if strings.Join(parts, "") != text {
			t.Fatalf("Split(%q, %d) = %q lost something", text, most, parts)
		}
		for _, p := range parts {
			if p == "" || len(p) > most || utf8.ValidString(text) && !utf8.ValidString(p) {
				t.Fatalf("Split(%q, %d) has the part %q", text, most, p)
			}
		}
	})
}
