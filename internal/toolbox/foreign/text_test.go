package foreign

import (
	"strings"
	"testing"
)

// TestText: characters that nobody sees are removed, and a long text is cut.
func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" a\u202e\u200b\u2066b\x00\x1b[31m\tc\n": "ab[31m\tc", "Z\U000e0041\U000e0042x": "Zx", "ﷺé": "ﷺé", "\xffa": "a",
		strings.Repeat("ä", 60): strings.Repeat("ä", 48) + "…",
	} {
		if got := Text(text, 100); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestLongText: what is beyond many times the part that is shown is not read.
func TestLongText(t *testing.T) {
	t.Parallel()
	if got := Text(strings.Repeat("\u200b", 1000)+"a", 10); got != "" {
		t.Errorf("Text of 1000 invisible characters = %q", got)
	}
	if got := Text(strings.Repeat("é", 1000), 11); got != "éééé…" {
		t.Errorf("Text = %q", got)
	}
}
