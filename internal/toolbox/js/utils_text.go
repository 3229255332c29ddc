package js

import (
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/dop251/goja"
	"golang.org/x/text/unicode/norm"
)

// textRow changes texts, counted in Unicode characters.
var textRow = row{
	"slugify":          onText(slugify),
	"camelCase":        onText(camelCase),
	"snakeCase":        onText(func(text string) string { return strings.ToLower(strings.Join(words(text), "_")) }),
	"kebabCase":        onText(func(text string) string { return strings.ToLower(strings.Join(words(text), "-")) }),
	"titleCase":        onText(titleCase),
	"truncate":         truncate,
	"countWords":       func(u use) goja.Value { return u.value(len(strings.Fields(u.text(0, "text")))) },
	"removeDiacritics": onText(removeDiacritics),
}

func onText(change func(string) string) func(use) goja.Value {
	return func(u use) goja.Value { return u.value(change(u.text(0, "text"))) }
}

// removeDiacritics removes the accents of letters, including strokes that Unicode does
// not classify as accents. Vowel signs of other scripts are not accents.
func removeDiacritics(text string) string {
	plain := strings.Map(func(c rune) rune {
		if c >= 0x300 && c <= 0x36f {
			return -1
		}
		return c
	}, norm.NFD.String(text))
	return strokes.Replace(norm.NFC.String(plain))
}

var (
	strokes = strings.NewReplacer("ø", "o", "Ø", "O", "đ", "d", "Đ", "D", "ł", "l", "Ł", "L", "ħ", "h", "Ħ", "H", "ŧ", "t", "Ŧ", "T", "ı", "i")
	// spelled maps letters that are written with two.
	spelled     = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "þ", "th", "ð", "d")
	apostrophes = strings.NewReplacer("'", "", "’", "")
)

// isWordly reports whether a character belongs to a word.
func isWordly(c rune) bool { return unicode.In(c, unicode.L, unicode.M, unicode.N) }

// slugify keeps the letters of every script and joins words by one hyphen.
func slugify(text string) string {
	text = spelled.Replace(strings.ToLower(removeDiacritics(apostrophes.Replace(text))))
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return !isWordly(c) }), "-")
}

// words splits at every character that is no letter or digit, and where a capital
// begins another word: parseHTMLText is parse, HTML and Text.
func words(text string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(apostrophes.Replace(text), func(c rune) bool { return !isWordly(c) }) {
		letters := []rune(part)
		start := 0
		for i := 1; i < len(letters); i++ {
			endsAcronym := unicode.IsUpper(letters[i-1]) && i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if unicode.IsUpper(letters[i]) && (!unicode.IsUpper(letters[i-1]) || endsAcronym) {
				all = append(all, string(letters[start:i]))
				start = i
			}
		}
		all = append(all, string(letters[start:]))
	}
	return all
}

func camelCase(text string) string {
	var b strings.Builder
	for i, word := range words(text) {
		if i == 0 {
			b.WriteString(strings.ToLower(word))
		} else {
			b.WriteString(capitalize(word))
		}
	}
	return b.String()
}

// titleCase capitalizes each word and keeps the text between words.
func titleCase(text string) string {
	var b strings.Builder
	inWord := false
	for _, c := range text {
		switch {
		case unicode.IsSpace(c):
			inWord = false
		case inWord:
			c = unicode.ToLower(c)
		case isWordly(c):
			inWord = true
			c = unicode.ToTitle(c)
		}
		b.WriteRune(c)
	}
	return b.String()
}

func capitalize(word string) string {
	letters := []rune(strings.ToLower(word))
	letters[0] = unicode.ToTitle(letters[0])
	return string(letters)
}

// truncate returns at most max characters, in the units of length, ending in suffix
// ("..." by default) if something was cut. It never splits a character. If the suffix
// is not shorter than max it is omitted.
func truncate(u use) goja.Value {
	text := u.text(0, "text")
	most := int(u.whole(1, "max", 0, maxSafe))
	suffix := "..."
	if u.given(2) {
		suffix = u.text(2, "suffix")
	}
	if length16(text) <= most {
		return u.value(text)
	}
	if length16(suffix) >= most {
		suffix = ""
	}
	room := most - length16(suffix)
	for i, c := range text {
		if room -= utf16.RuneLen(c); room < 0 {
			return u.value(text[:i] + suffix)
		}
	}
	return u.value(text)
}

// length16 returns the length of a text in UTF-16 units.
func length16(text string) int {
	n := 0
	for _, c := range text {
		n += utf16.RuneLen(c)
	}
	return n
}
