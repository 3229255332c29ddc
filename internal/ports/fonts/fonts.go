// Package fonts provides the fonts of a machine: it implements [tool.Fonts] for
// directories of TrueType and OpenType files and collections.
//
// It promises that nothing is read before a font is requested, that damaged files are
// ignored, and that concurrent calls share the bytes of a font. Fonts without outlines,
// such as coloured emoji, are ignored too. Fonts that are installed later are found
// within a minute.
package fonts

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"weak"

	"github.com/helve-dev/helve/tool"
)

// Fonts are the fonts of some directories. It implements [tool.Fonts].
type Fonts struct {
	dirs []string

	mu      sync.Mutex
	scanned time.Time
	faces   []face
	lent    map[place]weak.Pointer[tool.Font]
}

// place is the location of a font.
type place struct {
	path  string
	index int
}

// New returns the fonts of dirs and of all directories below them. "~/" is the home
// directory of the worker's user.
func New(dirs []string) *Fonts {
	return &Fonts{dirs: dirs, lent: map[place]weak.Pointer[tool.Font]{}}
}

// rescanAfter is the age from which the list of fonts is read again for a character
// that no font has.
const rescanAfter = time.Minute

// Covering implements [tool.Fonts].
func (f *Fonts) Covering(character rune, text string) (*tool.Font, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	best := f.best(character, text)
	if best == nil && time.Since(f.scanned) > rescanAfter {
		f.faces, f.scanned = scan(f.dirs), time.Now()
		best = f.best(character, text)
	}
	if best == nil {
		return nil, nil
	}
	if lent := f.lent[best.place].Value(); lent != nil {
		return lent, nil // another call still uses it
	}
	data, err := os.ReadFile(best.path)
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError, "The font %s cannot be read on this worker.", best.family).Because(err)
	}
	font := &tool.Font{Name: best.family, Data: data, Index: best.index}
	f.lent[best.place] = weak.Make(font)
	return font, nil
}

// best returns the face for a character: plain faces before bold and slanted ones, sans
// serif first, and for Chinese characters those of the text's language.
func (f *Fonts) best(character rune, text string) *face {
	var best *face
	language := ""
	if unicode.Is(unicode.Han, character) {
		language = languageOf(text)
	}
	for i := range f.faces {
		if c := &f.faces[i]; c.has(character) && (best == nil || c.before(best, language)) {
			best = c
		}
	}
	return best
}

// before reports whether c is a better choice than other.
func (c *face) before(other *face, language string) bool {
	if a, b := c.is(language), other.is(language); a != b {
		return a
	}
	return cmp.Or(cmp.Compare(c.distance, other.distance), strings.Compare(c.family, other.family), strings.Compare(c.path, other.path),
		cmp.Compare(c.index, other.index)) < 0
}

// is reports whether the name of the family contains a language, as "Noto Sans CJK JP".
func (c *face) is(language string) bool {
	return language != "" && slices.Contains(strings.Fields(strings.ToUpper(c.family)), language)
}

// languageOf returns the language of a text with Chinese characters: JP with kana, KR
// with Hangul, SC otherwise.
func languageOf(text string) string {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return "JP"
		case unicode.Is(unicode.Hangul, r):
			return "KR"
		}
	}
	return "SC"
}
