package textcase

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcount"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Upper returns text in upper case.
func Upper(text string) string { return cases.Upper(language.Und).String(text) }

// Lower returns text in lower case.
func Lower(text string) string { return cases.Lower(language.Und).String(text) }

// Title capitalizes each word and lowers the rest. A word that begins with a digit is
// not capitalized, as in 3rd.
func Title(text string) string {
	before := ' '
	return strings.Map(func(c rune) rune {
		if unicode.IsDigit(before) {
			c = unicode.ToLower(c)
		}
		before = c
		return c
	}, cases.Title(language.Und).String(text))
}

// Capitalize capitalizes the first letter of text and lowers the rest.
func Capitalize(text string) string {
	text = Lower(text)
	for i, c := range text {
		if textcount.IsWordly(c) {
			return text[:i] + titleRune(c) + text[i+utf8.RuneLen(c):]
		}
	}
	return text
}

func titleRune(c rune) string { return Title(string(c)) }

// Sentence capitalizes each sentence and lowers the rest.
func Sentence(text string) string {
	var b strings.Builder
	begins := true
	stopped := false
	for _, c := range Lower(text) {
		switch {
		case begins && textcount.IsWordly(c):
			b.WriteString(titleRune(c))
			begins, stopped = false, false
			continue
		case textcount.IsStop(c):
			stopped = true
			begins = begins || textcount.IsFullStop(c)
		case textcount.IsBlank(c):
			begins = begins || stopped || c == '\n'
			stopped = false
		case textcount.IsWordly(c):
			stopped = false
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Toggle swaps upper and lower case.
func Toggle(text string) string {
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

// Snake returns the words of text as snake_case.
func Snake(text string) string { return joinWords(text, "_", Lower) }

// Kebab returns the words of text as kebab-case.
func Kebab(text string) string { return joinWords(text, "-", Lower) }

// Dot returns the words of text as dot.case.
func Dot(text string) string { return joinWords(text, ".", Lower) }

// Shout returns the words of text as SHOUT_CASE.
func Shout(text string) string { return joinWords(text, "_", Upper) }

// Pascal returns the words of text as PascalCase.
func Pascal(text string) string { return joinWords(text, "", Capitalize) }

// Camel writes the words of text as camelCase.
func Camel(text string) string {
	first := true
	return joinWords(text, "", func(word string) string {
		if first {
			first = false
			return Lower(word)
		}
		return Capitalize(word)
	})
}

// identifierWords splits at every character that is no letter or digit, and where a
// capital begins another word: HTTPServerID is HTTP, Server and ID; XML2JSON is XML2
// and JSON.
func identifierWords(text string) []string {
	var words []string
	for part := range strings.FieldsFuncSeq(apostrophes.Replace(text), func(c rune) bool { return !textcount.IsWordly(c) }) {
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

// beginsWord reports whether the letter at i begins a word: always after a small
// letter; after a capital if a small letter follows; after a digit if more than one
// letter follows, so that H2O and 3D stay together.
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

// RemoveDiacritics removes the accents of letters, including strokes that Unicode does
// not classify as accents. Vowel signs of other scripts are not accents.
func RemoveDiacritics(text string) string {
	plain := strings.Map(func(c rune) rune {
		if c >= 0x300 && c <= 0x36f {
			return -1
		}
		return c
	}, norm.NFD.String(text))
	return strokes.Replace(norm.NFC.String(plain))
}

var strokes = strings.NewReplacer("ø", "o", "Ø", "O", "đ", "d", "Đ", "D", "ł", "l", "Ł", "L", "ħ", "h", "Ħ", "H", "ŧ", "t", "Ŧ",
	"T", "ı", "i")
