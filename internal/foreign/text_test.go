package foreign

import (
	"strings"
	"testing"
)

// TestText: characters that nobody sees are removed, and a long text is cut.
func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" a\u202e\u200b\u2066b\x00\x1b[31m\tc\n": "ab[31m\tc", "Z\U000e0041\U000e0042x": "Zx", "ﷺé": "ﷺé", "\xffa": "a", strings.Repeat("ä", 60): strings.Repeat("ä", 48) + "…",
	} {
		if got := Text(text, 100); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
}
