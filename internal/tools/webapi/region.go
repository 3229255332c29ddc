package webapi

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/helve-dev/helve/tool"
)

// region is a country, in upper case, and possibly a language of it, in lower case. It may
// be empty.
type region struct{ country, language string }

// parseRegion parses DE, de-DE and, as some search engines write it, de-de or us-en. In two
// parts of lower case the country is the first.
func parseRegion(text string) (region, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "_", "-"))
	if text == "" {
		return region{}, nil
	}
	first, second, two := strings.Cut(text, "-")
	country, lang := first, ""
	switch {
	case two && second == strings.ToUpper(second):
		country, lang = second, first
	case two:
		country, lang = first, second
	}
	r, err := language.ParseRegion(country)
	if err != nil || len(country) != 2 || !r.IsCountry() {
		return region{}, wrongRegion(text)
	}
	if lang != "" {
		if _, err := language.ParseBase(lang); err != nil || len(lang) != 2 {
			return region{}, wrongRegion(text)
		}
	}
	return region{r.String(), strings.ToLower(lang)}, nil
}

func wrongRegion(text string) error {
	return tool.Fail(tool.ValidationError, "region: %q is no region; give a country such as DE, or language and country such as de-AT", text)
}

// tag returns the region as a language tag: de-AT, or the usual language of the country.
func (r region) tag() string {
	if r.country == "" {
		return ""
	}
	if r.language != "" {
		return r.language + "-" + r.country
	}
	tag, err := language.Parse("und-" + r.country)
	if err != nil {
		return ""
	}
	base, _ := tag.Base()
	return base.String() + "-" + r.country
}

// name returns the English name of the country, in lower case.
func (r region) name() string {
	if r.country == "" {
		return ""
	}
	country, err := language.ParseRegion(r.country)
	if err != nil {
		return ""
	}
	return strings.ToLower(display.English.Regions().Name(country))
}
