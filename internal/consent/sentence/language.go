package sentence

import "golang.org/x/text/language"

// mostAccepted bounds a header that is read, in bytes.
const mostAccepted = 1 << 10

// matcher finds the best of the languages; the first one where none is wanted.
var (
	languages = []Language{English, German}
	matcher   = language.NewMatcher([]language.Tag{language.English, language.German})
)

// Preferred returns the language for a reader whose browser sends the header Accept-Language;
// English for a header without one of the languages.
func Preferred(accept string) Language {
	if len(accept) > mostAccepted {
		return English
	}
	tags, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return English
	}
	_, i, confidence := matcher.Match(tags...)
	if confidence == language.No {
		return English
	}
	return languages[i]
}
