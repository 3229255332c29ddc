package api

import (
	"golang.org/x/text/language"

	"github.com/helve-dev/helve/internal/consent/sentence"
)

// mostAccepted bounds a header that is read, in bytes.
const mostAccepted = 1 << 10

// matcher finds the best of the languages; the first one where none is wanted.
var (
	languages = []sentence.Language{sentence.English, sentence.German}
	matcher   = language.NewMatcher([]language.Tag{language.English, language.German})
)

// preferred returns the language for a reader whose browser sends the header Accept-Language;
// English for a header without one of the languages.
func preferred(accept string) sentence.Language {
	if len(accept) > mostAccepted {
		return sentence.English
	}
	tags, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return sentence.English
	}
	_, i, confidence := matcher.Match(tags...)
	if confidence == language.No {
		return sentence.English
	}
	return languages[i]
}
