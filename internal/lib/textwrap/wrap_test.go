package textwrap

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/bounded"
	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/rivo/uniseg"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		w          Wrapper
		line, want string
	}{
		{Wrapper{Room: 9}, "the quick brown fox", "the quick\nbrown fox"},
		{Wrapper{Room: 4}, "日本語", "日本\n語"},
		{Wrapper{Room: 3, BreakWords: true}, "abcdefgh", "abc\ndef\ngh"},
		{Wrapper{Room: 3}, "abcdefgh", "abcdefgh"},
		{Wrapper{Room: 3, Indent: "> "}, "ab cd", "> ab\n> cd"},
		{Wrapper{Room: 3}, "", ""},
	} {
		w := &tt.w
		w.Wrap(tt.line)
		if got := strings.TrimSuffix(w.Out.String(), "\n"); got != tt.want {
			t.Errorf("Wrap(%q) in %d columns = %q, want %q", tt.line, tt.w.Room, got, tt.want)
		}
	}
}

func TestWrapIsBounded(t *testing.T) {
	w := Wrapper{Room: 1, Indent: strings.Repeat(" ", 1000), BreakWords: true}
	w.Wrap(strings.Repeat("ab ", 20_000))
	if got := w.Out.Len(); got <= bounded.MaxText || got > 2*bounded.MaxText {
		t.Errorf("%d bytes are written, want the bound of %d exceeded once", got, bounded.MaxText)
	}
}

// No row but a single character exceeds the room, and nothing but blanks is lost.
func FuzzWrap(f *testing.F) {
	f.Add("the quick 日本語 fox", 5)
	f.Fuzz(func(t *testing.T, line string, room int) {
		room = 2 + max(room, -room-1)%60
		if strings.ContainsRune(line, '\n') {
			return
		}
		w := Wrapper{Room: room, BreakWords: true}
		w.Wrap(line)
		kept := func(text string) string { return strings.Join(strings.FieldsFunc(text, textcount.IsBlank), "") }
		if got := w.Out.String(); kept(got) != kept(line) {
			t.Errorf("Wrap(%q) in %d columns = %q, want the same but for blanks", line, room, got)
		}
		for row := range strings.SplitSeq(w.Out.String(), "\n") {
			if uniseg.StringWidth(row) > room && uniseg.GraphemeClusterCount(row) > 1 {
				t.Errorf("Wrap(%q) in %d columns has the row %q", line, room, row)
			}
		}
	})
}
