package canon

import (
	"strings"
	"testing"
)

// TestPlain puts each byte at each position of a text: Plain stops before it, in steps
// of eight, exactly if JSON escapes it.
func TestPlain(t *testing.T) {
	const size = 24
	for c := range 256 {
		plain := c >= ' ' && c < 0x7f && c != '"' && c != '\\'
		for place := range size {
			text := []byte(strings.Repeat("~", size))
			text[place] = byte(c)
			want := size
			if !plain {
				want = place / 8 * 8
			}
			if got, of := Plain(text), Plain(string(text)); got != want || of != want {
				t.Fatalf("byte %#x at %d: %d and %d bytes are plain, want %d", c, place, got, of, want)
			}
		}
	}
	for n := range 8 {
		if got := Plain(strings.Repeat(" ", 8+n)); got != 8 {
			t.Errorf("%d of %d spaces are plain, want 8", got, 8+n)
		}
	}
}
