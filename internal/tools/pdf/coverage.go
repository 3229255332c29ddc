package pdf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"

	"github.com/helve-dev/helve/tool"
)

// coverage knows which characters the fonts have, and remembers which were wanted
// that they have not.
type coverage struct {
	font    *sfnt.Font
	buffer  sfnt.Buffer
	known   map[rune]bool
	missing map[rune]int
	shown   int // characters that could be set
}

func newCoverage() (*coverage, error) {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	return &coverage{font: f, known: map[rune]bool{}, missing: map[rune]int{}}, nil
}

// stand takes the place of a character that no font has.
const stand = '□'

// legible returns s with only what the fonts have in it. A letter and its accent are
// made one first: the fonts have the letters with accents, but not the accents.
func (c *coverage) legible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1 // nothing to see of them
		case c.has(r):
			c.shown++
			return r
		}
		c.missing[r]++
		return stand
	}, norm.NFC.String(strings.ToValidUTF8(s, "\ufffd")))
}

func (c *coverage) has(r rune) bool {
	has, ok := c.known[r]
	if !ok {
		i, err := c.font.GlyphIndex(&c.buffer, r)
		has = err == nil && i != 0
		c.known[r] = has
	}
	return has
}

// verdict refuses a document of which little could be read.
func (c *coverage) verdict() error {
	lost := 0
	for _, n := range c.missing {
		lost += n
	}
	if lost > c.shown/2 {
		return tool.Fail(tool.Unsupported, "The fonts for PDFs have Latin, Greek and Cyrillic letters only, and most of the content is in others (%s); write it in one of those.", c.examples())
	}
	return nil
}

// warning says what was replaced.
func (c *coverage) warning() string {
	if len(c.missing) == 0 {
		return ""
	}
	return fmt.Sprintf("%d different character(s) that the fonts do not have were replaced by %c: %s", len(c.missing), stand, c.examples())
}

func (c *coverage) examples() string {
	const most = 20
	all := slices.Sorted(maps.Keys(c.missing))
	return string(all[:min(len(all), most)])
}
