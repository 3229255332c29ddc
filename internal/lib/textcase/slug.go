package textcase

import (
	"strings"

	"github.com/gosimple/slug"
)

// Slug returns text as a part of a URL: small ASCII letters, digits and hyphens.
// Letters of other scripts are transliterated.
func Slug(text string) string {
	return slug.MakeLang(slugWords.Replace(text), "en")
}

// slugWords replaces signs that are read as words, with spaces around them.
var slugWords = strings.NewReplacer("_", " ", "&", " and ", "@", " at ")
