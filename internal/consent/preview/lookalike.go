package preview

import (
	"strings"
	"unicode"
)

// lookalikes are letters that look like the ASCII letter before them.
var lookalikes = []string{
	"aаαɑа", "bЬвьƄ", "cсϲⅽ", "dԁɗⅾ", "eеҽєε", "fғƒ", "gɡցģ", "hһհн", "iіıіɩιӏ", "jјϳ", "kкκ", "lӏⅼןɭ", "mмⅿ", "nոпηռ",
	"oоοօσ0", "pрρ", "qԛզ", "rгɾ", "sѕʂ", "tтτ", "uսυцμ", "vѵνⅴ", "wԝωѡ", "xхχⅹ", "yуүγʏ", "zʐᴢ",
}

var lookAlikes = tabulate(lookalikes)

func tabulate(rows []string) map[rune]rune {
	table := map[rune]rune{}
	for _, row := range rows {
		for _, r := range row[1:] {
			if r >= 0x80 {
				table[r] = rune(row[0])
			}
		}
	}
	return table
}

// skeleton returns a host with its look-alike letters replaced.
func skeleton(host string) string {
	return strings.Map(func(r rune) rune {
		if ascii, ok := lookAlikes[r]; ok {
			return ascii
		}
		return r
	}, host)
}

// scripts are the scripts that are distinguished, and whether they are normally written
// together with others.
var scripts = []struct {
	name     string
	table    *unicode.RangeTable
	together bool
}{
	{"Latin", unicode.Latin, true},
	{"Cyrillic", unicode.Cyrillic, false},
	{"Greek", unicode.Greek, false},
	{"Armenian", unicode.Armenian, false},
	{"Hebrew", unicode.Hebrew, false},
	{"Arabic", unicode.Arabic, false},
	{"Cherokee", unicode.Cherokee, false},
	{"Chinese", unicode.Han, true},
	{"Japanese", unicode.Hiragana, true},
	{"Japanese", unicode.Katakana, true},
	{"Korean", unicode.Hangul, true},
	{"Chinese", unicode.Bopomofo, true},
	{"other", unicode.L, false},
}

// mixed returns two scripts of one label that are not normally written together.
func mixed(label string) (a, b string) {
	together := true
	for _, r := range label {
		if !unicode.IsLetter(r) {
			continue
		}
		for _, s := range scripts {
			if !unicode.Is(s.table, r) {
				continue
			}
			if a != "" && a != s.name && !(together && s.together) {
				return a, s.name
			}
			a, together = s.name, s.together
			break
		}
	}
	return a, ""
}
