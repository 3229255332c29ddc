package grapheme

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/textcount"
)

// A letter with accents without end is cut all the same.
func TestCutText(t *testing.T) {
	if got := Cut("e"+strings.Repeat("\u0301", 1000), 3); got != "" {
		t.Errorf("cutText = %q, want nothing rather than a part of a letter", got)
	}
	if got := Cut("abc", 0); got != "" {
		t.Errorf("cutText to nothing = %q", got)
	}
}

func FuzzTruncateText(f *testing.F) {
	f.Add("ab👨‍👩‍👧 cd", 4, "...", true)
	f.Fuzz(func(t *testing.T, text string, most int, suffix string, atWord bool) {
		most = 1 + max(most, -most)%100
		got, cut := Truncate(text, most, suffix, atWord)
		if textcount.Characters(got) > most {
			t.Errorf("truncateText(%q, %d, %q) = %q, longer than that", text, most, suffix, got)
		}
		if !cut && got != text {
			t.Errorf("truncateText(%q) = %q, not marked as cut", text, got)
		}
	})
}
