package memory

import (
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	same := []string{
		"Prefers window seats.", "prefers  WINDOW\tseats", " Prefers window seats!\n", "«Prefers window\u00a0seats»", "...prefers window seats?!",
	}
	for _, text := range same {
		if got := fold(text); got != "prefers window seats" {
			t.Errorf("fold(%q) = %q", text, got)
		}
	}
	if fold("café") != fold("cafe\u0301") {
		t.Error("two forms of one accent differ")
	}
	for _, pair := range [][2]string{{"café", "cafe"}, {"a.b", "ab"}, {"1,5", "15"}, {"!", "?"}, {"🛒", "🎁"}, {"C++", "C"}} {
		if keyOf(pair[0]) == keyOf(pair[1]) {
			t.Errorf("%q and %q are the same memory", pair[0], pair[1])
		}
	}
	if key := keyOf(strings.Repeat("x", 900_000)); len(key) != 32 {
		t.Errorf("key %q", key)
	}
}
