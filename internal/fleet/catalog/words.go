package catalog

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// words splits text into lower-case words at anything but letters and digits, and
// within camelCase.
func words(text string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	lower := false
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if lower && unicode.IsUpper(r) {
				flush()
			}
			lower = unicode.IsLower(r)
			word.WriteRune(unicode.ToLower(r))
		case r == '\'' || r == '’': // what's is one word
		default:
			lower = false
			flush()
		}
	}
	flush()
	return out
}

// empty are words without meaning for a search.
var empty = setOf(`a an and any are as at be but by can could did do does dont for from get give got had has have hello hey hi how i id if
	ill im in into is isnt it its ive just lets like many me my need of off on one or our out over please should show so some tell than that
	thats the their them then there these they this to too up us use using want was we were what whats when where which who whos will with would you your`)

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// stem returns the common part of the forms of an English word. Words of other
// languages mostly stay unchanged.
func stem(word string) string { return english.Stem(word, false) }

// hint is a word that is implied by text of a certain shape.
type hint struct {
	shape *regexp.Regexp
	words string
}

// hints are matched against the whole request. They are compiled by the first search:
// not every process with a catalogue searches it.
var hints = sync.OnceValue(func() []hint {
	return []hint{
		{regexp.MustCompile(`\d\s*(%|percent)`), "percentage calculate"},
		{regexp.MustCompile(`\d\s*[-+*/^x×÷]\s*\d`), "calculate"},
		{regexp.MustCompile(`[\w.+-]+@[\w-]+\.\w+`), "email"},
		{regexp.MustCompile(`https?://`), "url web page"},
		{regexp.MustCompile(`[$€£¥]\s?\d|\d\s?(dollars?|euros?|pounds?|eur|usd|gbp|chf)\b`), "money expense"},
		{
			regexp.MustCompile(
				`\b\d+(\.\d+)?\s?(km|miles?|kg|lbs?|pounds?|ounces?|oz|cm|mm|inch(es)?|feet|ft|celsius|fahrenheit|litres?|liters?|gallons?|mph)\b`,
			),
			"convert unit",
		},
		{regexp.MustCompile(`\b(at \d{1,2}(:\d\d)?\s?(am|pm)?|(mon|tues|wednes|thurs|fri|satur|sun)day at|tomorrow at)\b`), "calendar event"},
		{regexp.MustCompile(`\bevery (day|week|month|hour|morning|evening|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d+ (minutes|hours|days))\b`), "schedule recurring"},
		{regexp.MustCompile(`\b(what|which) (day|date|time)\b`), "current date time"},
		{regexp.MustCompile(`^(what|which|when|who|where|show|list|see|any|am i|do i)\b`), "list"},
		{regexp.MustCompile(`\b(mon|tues|wednes|thurs|fri|satur|sun)day\b`), "calendar"},
		{regexp.MustCompile(`\bthrow\b.*\baway\b`), "delete"},
		{regexp.MustCompile(`\bgoal is to\b|\bi want to (learn|become|lose|save|get better)\b`), "create goal"},
		{regexp.MustCompile(`\bhas a new\b`), "update"},
		{regexp.MustCompile(`\.(pdf)\b`), "pdf"},
		{regexp.MustCompile(`\.(jpe?g|png|gif|webp)\b`), "image"},
		{regexp.MustCompile(`\.(mp3|wav|ogg|m4a|flac)\b`), "audio"},
		{regexp.MustCompile(`\.(csv)\b`), "csv"},
		{regexp.MustCompile(`\.(json)\b`), "json"},
		{regexp.MustCompile(`\.(txt|md|log|ya?ml|conf|html)\b`), "file"},
	}
})
