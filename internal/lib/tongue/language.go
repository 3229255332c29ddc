package tongue

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/helve-dev/helve/internal/lib/nearest"
	"github.com/helve-dev/helve/internal/lib/textcut"
)

// Language is a language, perhaps of a region or in a script.
type Language struct {
	// Code is its BCP 47 code, such as de or pt-BR.
	Code string
	// Name is its English name, and Own its name in the language itself, if it is known.
	Name, Own string

	tag language.Tag
}

// codes are the languages that DeepL or LibreTranslate translates, or that detection knows.
const codes = "af am ar az be bg bn bs ca ceb cs cy da de el en en-GB en-US eo es es-419 et eu fa fi fil fr ga gl gu ha he hi hr ht hu " +
	"hy id ig is it ja jv " +
	"ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn or pa pl ps pt pt-BR pt-PT ro ru sd si sk sl so sq sr st " +
	"su sv sw " +
	"ta te tg th tk tr tt ug uk ur uz vi xh yi yo yue zh zh-Hans zh-Hant zu"

// synonyms are usual names that the Unicode data does not have.
var synonyms = map[string]string{
	"norwegian": "nb", "norsk": "nb", "no": "nb", "mandarin": "zh", "farsi": "fa", "tagalog": "fil", "brazilian": "pt-BR",
	"flemish": "nl", "odia": "or", "american english": "en-US", "british english": "en-GB", "castilian": "es", "cantonese": "yue",
	"zh-cn": "zh-Hans", "zh-sg": "zh-Hans", "zh-tw": "zh-Hant", "zh-hk": "zh-Hant",
}

// registry is the languages by code and by name in lower case.
type registry struct {
	all    []Language
	byName map[string]Language
}

// known is computed from the Unicode data when it is first needed.
var known = sync.OnceValue(func() registry {
	r := registry{byName: map[string]Language{}}
	for code := range strings.FieldsSeq(codes) {
		l := named(language.MustParse(code))
		r.all = append(r.all, l)
		for _, name := range []string{code, l.Name, l.Own, parenthesised(l.tag)} {
			if name = strings.ToLower(name); name != "" && r.byName[name].Code == "" {
				r.byName[name] = l
			}
		}
	}
	for name, code := range synonyms {
		r.byName[name] = r.byName[strings.ToLower(code)]
	}
	return r
})

func named(tag language.Tag) Language {
	return Language{Code: tag.String(), Name: display.English.Tags().Name(tag), Own: display.Self.Name(tag), tag: tag}
}

// parenthesised returns the other form of a name with a region or script, such as
// Portuguese (Brazil).
func parenthesised(tag language.Tag) string {
	base, script, region := tag.Raw()
	name := display.English.Languages().Name(base)
	switch {
	case strings.Contains(tag.String(), "Han"):
		return name + " (" + strings.TrimSuffix(display.English.Scripts().Name(script), " Han") + ")"
	case region != language.Region{}:
		return name + " (" + display.English.Regions().Name(region) + ")"
	}
	return ""
}

// All returns the languages, by code.
func All() []Language { return slices.Clone(known().all) }

// Find returns the language of a code or name. Codes of languages outside All are found
// too, if they are registered.
func Find(text string) (Language, bool) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	if l, ok := known().byName[strings.ReplaceAll(text, "_", "-")]; ok {
		return l, true
	}
	tag, err := language.Parse(text)
	if base, _, _ := tag.Raw(); err != nil || base.String() == "und" {
		return Language{}, false
	}
	return named(tag), true
}

// Near returns the name of the language whose name or code is most like a text, or an empty
// text if none is like it: at most every third letter may be another one.
func Near(text string) (best string) {
	text = strings.ToLower(textcut.Head(text, longestName))
	least := max(1, len(text)/3) + 1
	for _, name := range slices.Sorted(maps.Keys(known().byName)) {
		if n := nearest.Distance(text, name, longestName); n < least {
			best, least = known().byName[name].Name, n
		}
	}
	return best
}

// longestName bounds the text that is compared with names, in bytes.
const longestName = 64

// Base returns the code of the language without region and script, such as pt.
func (l Language) Base() string {
	base, _ := l.tag.Base()
	return base.String()
}

// Traditional reports whether the language is Chinese in traditional characters.
func (l Language) Traditional() bool {
	script, _ := l.tag.Script()
	return l.Base() == "zh" && script.String() == "Hant"
}
