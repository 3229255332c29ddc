package utilities

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

func upperCase(text string) string { return cases.Upper(language.Und).String(text) }
func lowerCase(text string) string { return cases.Lower(language.Und).String(text) }

// titleCase begins each word with a capital and goes on in small letters. A word
// that begins with a digit has no capital, as in 3rd.
func titleCase(text string) string {
	before := ' '
	return strings.Map(func(c rune) rune {
		if unicode.IsDigit(before) {
			c = unicode.ToLower(c)
		}
		before = c
		return c
	}, cases.Title(language.Und).String(text))
}

// capitalizeText begins text with a capital and goes on in small letters.
func capitalizeText(text string) string {
	text = lowerCase(text)
	for i, c := range text {
		if isWordly(c) {
			return text[:i] + titleRune(c) + text[i+utf8.RuneLen(c):]
		}
	}
	return text
}

func titleRune(c rune) string { return titleCase(string(c)) }

// sentenceCase begins each sentence with a capital and goes on in small letters.
func sentenceCase(text string) string {
	var b strings.Builder
	begins := true
	stopped := false
	for _, c := range lowerCase(text) {
		switch {
		case begins && isWordly(c):
			b.WriteString(titleRune(c))
			begins, stopped = false, false
			continue
		case isStop(c):
			stopped = true
			begins = begins || isFullStop(c)
		case isBlank(c):
			begins = begins || stopped || c == '\n'
			stopped = false
		case isWordly(c):
			stopped = false
		}
		b.WriteRune(c)
	}
	return b.String()
}

func toggleCase(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, text)
}

// joinWords splits text into the words of identifiers, changes each, and joins them.
func joinWords(text, separator string, change func(string) string) string {
	words := identifierWords(text)
	for i, word := range words {
		words[i] = change(word)
	}
	return strings.Join(words, separator)
}

func snakeCase(text string) string  { return joinWords(text, "_", lowerCase) }
func kebabCase(text string) string  { return joinWords(text, "-", lowerCase) }
func dotCase(text string) string    { return joinWords(text, ".", lowerCase) }
func shoutCase(text string) string  { return joinWords(text, "_", upperCase) }
func pascalCase(text string) string { return joinWords(text, "", capitalizeText) }

func camelCase(text string) string {
	first := true
	return joinWords(text, "", func(word string) string {
		if first {
			first = false
			return lowerCase(word)
		}
		return capitalizeText(word)
	})
}

// identifierWords splits at whatever is no letter or digit, and where a capital
// begins another word: HTTPServerID is HTTP, Server and ID; XML2JSON is XML2 and
// JSON.
func identifierWords(text string) []string {
	var words []string
	for part := range strings.FieldsFuncSeq(apostrophes.Replace(text), func(c rune) bool { return !isWordly(c) }) {
		letters := []rune(part)
		start := 0
		for i := 1; i < len(letters); i++ {
			if beginsWord(letters, i) {
				words = append(words, string(letters[start:i]))
				start = i
			}
		}
		words = append(words, string(letters[start:]))
	}
	return words
}

var apostrophes = strings.NewReplacer("'", "", "’", "")

// beginsWord reports that the letter at i begins a word. After a capital it does
// where a small letter follows; after a digit where more than one letter does, so
// that H2O and 3D stay whole; after a small letter always.
func beginsWord(letters []rune, i int) bool {
	before, followed := letters[i-1], i+1 < len(letters)
	switch {
	case !unicode.IsUpper(letters[i]):
		return false
	case unicode.IsUpper(before):
		return followed && unicode.IsLower(letters[i+1])
	case unicode.IsDigit(before):
		if !followed || !unicode.IsLetter(letters[i+1]) {
			return false
		}
		acronymOfOne := unicode.IsUpper(letters[i+1]) && i+2 < len(letters) && unicode.IsLower(letters[i+2])
		return !acronymOfOne
	}
	return true
}

// removeDiacritics takes the accents off letters, also the strokes that Unicode
// does not take for accents. Vowel signs of other scripts are no accents.
func removeDiacritics(text string) string {
	plain := strings.Map(func(c rune) rune {
		if c >= 0x300 && c <= 0x36f {
			return -1
		}
		return c
	}, norm.NFD.String(text))
	return strokes.Replace(norm.NFC.String(plain))
}

var strokes = strings.NewReplacer("ø", "o", "Ø", "O", "đ", "d", "Đ", "D", "ł", "l", "Ł", "L", "ħ", "h", "Ħ", "H", "ŧ", "t", "Ŧ", "T", "ı", "i")
