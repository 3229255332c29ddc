package textcount

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	got := Of("Dr. Smith went home. It rained!\r\n\r\nNext paragraph.")
	want := Counts{Characters: 50, CharactersNoSpaces: 40, Words: 8, Sentences: 3, Paragraphs: 2, Lines: 3, ReadingTimeMinutes: 1}
	if got != want {
		t.Errorf("Of = %+v, want %+v", got, want)
	}
	if got := Of(""); got != (Counts{Lines: 1}) {
		t.Errorf("Of nothing = %+v, want one empty line", got)
	}
}

func TestWords(t *testing.T) {
	const text = "well-known, 日本 don't!"
	want := []string{"well-known,", "日", "本", "don't!"}
	if got := slices.Collect[string](Words(text, false)); !slices.Equal(got, want) {
		t.Errorf("Words(%q) = %q, want %q", text, got, want)
	}
}

func TestIsBlank(t *testing.T) {
	for c, want := range map[rune]bool{' ': true, '\n': true, '\u00a0': true, '\ufeff': true, 'a': false, '\u200b': false} {
		if got := IsBlank(c); got != want {
			t.Errorf("IsBlank(%q) = %v, want %v", c, got, want)
		}
	}
}
