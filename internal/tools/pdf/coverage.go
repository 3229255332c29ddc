package pdf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"

	"github.com/helve-dev/helve/tool"
)

// coverage knows the characters of the fonts, and records requested characters that
// none of them has.
type coverage struct {
	font    *sfnt.Font
	wide    *sfnt.Font // characters missing in font; nil before it is needed
	buffer  sfnt.Buffer
	known   map[rune]bool // whether font has it
	beyond  map[rune]bool // whether wide has it
	missing map[rune]int
	shown   int // the number of characters that could be set

	machine tool.Fonts // nil without any
	content string     // of the document
	systems []*systemFont
	placed  map[rune]*systemFont // by characters that the other fonts lack; nil for none
	shaper  shaping.HarfbuzzShaper
	failed  error // of a font of the machine

	letters   map[rune]*forms
	ligatures map[string]*forms
}

func newCoverage(machine tool.Fonts, content string) (*coverage, error) {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	return &coverage{
		font: f, known: map[rune]bool{}, beyond: map[rune]bool{}, missing: map[rune]int{},
		machine: machine, content: content, placed: map[rune]*systemFont{},
	}, nil
}

// stand replaces a character that no font has.
const stand = '□'

// legible returns s with only those characters that the fonts have. It first composes
// letters and accents, because the fonts have accented letters but no separate accents.
func (c *coverage) legible(s string) string {
	machine := false // the previous character uses a font of the machine
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case machine && (r == joiner || r == nonJoiner):
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1 // invisible characters
		case c.has(r), c.hasWide(r):
			c.shown++
			machine = false
			return r
		case c.fontOf(r) != nil:
			c.shown++
			machine = true
			return r
		}
		machine = false
		c.missing[r]++
		return stand
	}, c.joined(norm.NFC.String(strings.ToValidUTF8(s, "\ufffd"))))
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

// hasWide reports whether the font for the other scripts has r. The library only writes
// characters of the Basic Multilingual Plane.
func (c *coverage) hasWide(r rune) bool {
	has, ok := c.beyond[r]
	if !ok && r <= 0xffff {
		if c.wide == nil {
			f, err := sfnt.Parse(dejavusans.TTF)
			if err != nil {
				return false
			}
			c.wide = f
		}
		i, err := c.wide.GlyphIndex(&c.buffer, r)
		has = err == nil && i != 0
		c.beyond[r] = has
	}
	return has
}

// needsWide reports whether legible text needs the font for the other scripts.
func (c *coverage) needsWide(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !c.has(r) && c.hasWide(r) })
}

// needsSystem reports whether legible text needs a font of the machine.
func (c *coverage) needsSystem(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return c.fontOf(r) != nil })
}

// fontOf returns the machine's font for a character, or nil if one of the built-in
// fonts has it, or no font has.
func (c *coverage) fontOf(r rune) *systemFont {
	if r == '\n' || r == joiner || r == nonJoiner || c.has(r) || c.hasWide(r) {
		return nil
	}
	font, ok := c.placed[r]
	if !ok {
		font = c.find(r)
		c.placed[r] = font
	}
	return font
}

// find searches a character in the fonts that the document already uses, then in those
// of the machine.
func (c *coverage) find(r rune) *systemFont {
	for _, f := range c.systems {
		if f.draws(r) {
			return f
		}
	}
	if c.machine == nil || c.failed != nil {
		return nil
	}
	lent, err := c.machine.Covering(r, c.content)
	if err != nil || lent == nil {
		c.failed = err
		return nil
	}
	f, err := openFont(lent)
	if err != nil || !f.draws(r) {
		return nil
	}
	c.systems = append(c.systems, f)
	return f
}

// verdict refuses a document of which little would be readable.
func (c *coverage) verdict() error {
	lost := 0
	for _, n := range c.missing {
		lost += n
	}
	if lost > c.shown/2 {
		return tool.Fail(tool.Unsupported,
			"Most of the content is in characters that no font of this worker has (%s: %s). %s, or write it in Latin, Greek, Cyrillic, Hebrew, "+
				"Arabic, Armenian or Georgian letters.",
			c.scripts(), c.examples(), c.cure())
	}
	return nil
}

// warning returns the note about replaced characters.
func (c *coverage) warning() string {
	if len(c.missing) == 0 {
		return ""
	}
	return fmt.Sprintf("%d different character(s) that the fonts do not have were replaced by %c: %s", len(c.missing), stand, c.examples())
}

// note returns the note about unreadable parts of the document.
func (c *coverage) note() string {
	if len(c.missing) == 0 {
		return ""
	}
	return fmt.Sprintf("No font of this worker has some characters (%s); they were replaced by %c and cannot be read. %s.",
		c.scripts(), stand, c.cure())
}

// cure returns the Debian packages with fonts for the missing characters.
func (c *coverage) cure() string {
	packages := map[string]bool{}
	for r := range c.missing {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo):
			packages["fonts-noto-cjk"] = true
		case unicode.Is(unicode.So, r):
			packages["fonts-symbola"] = true
		default:
			packages["fonts-noto-core"] = true
		}
	}
	return "The operator can install fonts that have them where the worker runs (apt-get install " +
		strings.Join(slices.Sorted(maps.Keys(packages)), " ") + "; pdf.fonts names the directories)"
}

// scripts returns the scripts of the missing characters.
func (c *coverage) scripts() string {
	seen := map[string]bool{}
	for r := range c.missing {
		seen[scriptOf(r)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), ", ")
}

// scriptOf returns the script of a character, or another name for it.
func scriptOf(r rune) string {
	for name, table := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && unicode.Is(table, r) {
			return strings.ReplaceAll(name, "_", " ")
		}
	}
	if unicode.Is(unicode.So, r) {
		return "symbols and emoji"
	}
	return "other signs"
}

func (c *coverage) examples() string {
	const most = 20
	all := slices.Sorted(maps.Keys(c.missing))
	return string(all[:min(len(all), most)])
}
