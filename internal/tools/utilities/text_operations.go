package utilities

import (
	"strings"

	"github.com/gosimple/slug"
	"github.com/helve-dev/helve/tool"
)

// transformArgs are the parameters of transform_text and of text_transform, which
// is the same under the name of its group.
type transformArgs struct {
	Text      string            `json:"text" doc:"Text to change."`
	Operation string            `json:"operation" doc:"What to do; the _case operations write identifiers, slugify the part of an address." enum:"uppercase,lowercase,capitalize,title_case,trim,trim_start,trim_end,slugify,camel_case,snake_case,kebab_case,pascal_case,reverse,remove_whitespace,normalize_whitespace,remove_diacritics,truncate"`
	Options   *transformOptions `json:"options,omitempty" doc:"For truncate only."`
}

type transformOptions struct {
	MaxLength *float64 `json:"maxLength,omitempty" doc:"Most characters to keep, the suffix among them; 100 when left out." min:"1"`
	Suffix    *string  `json:"suffix,omitempty" doc:"What marks the cut; ... when left out."`
}

type transformed struct {
	Operation    string `json:"operation"`
	Input        string `json:"input" doc:"The text, its first 50 characters if it is longer."`
	Output       string `json:"output"`
	InputLength  int    `json:"inputLength" doc:"In characters (Unicode code points)."`
	OutputLength int    `json:"outputLength"`
}

// Present shows a model the new text and nothing else.
func (t *transformed) Present(res *tool.Result) { res.Text = t.Output }

var textOperations = map[string]func(string) string{
	"uppercase":            upperCase,
	"lowercase":            lowerCase,
	"capitalize":           capitalizeText,
	"title_case":           titleCase,
	"trim":                 func(text string) string { return strings.TrimFunc(text, isBlank) },
	"trim_start":           func(text string) string { return strings.TrimLeftFunc(text, isBlank) },
	"trim_end":             func(text string) string { return strings.TrimRightFunc(text, isBlank) },
	"slugify":              slugOf,
	"camel_case":           camelCase,
	"snake_case":           snakeCase,
	"kebab_case":           kebabCase,
	"pascal_case":          pascalCase,
	"reverse":              reverseText,
	"remove_whitespace":    func(text string) string { return strings.Join(strings.FieldsFunc(text, isBlank), "") },
	"normalize_whitespace": func(text string) string { return strings.Join(strings.FieldsFunc(text, isBlank), " ") },
	"remove_diacritics":    removeDiacritics,
}

const (
	defaultCut    = 100
	defaultSuffix = "..."
)

func transform(args transformArgs) *transformed {
	res := &transformed{Operation: args.Operation, Input: echoText(args.Text), InputLength: textLength(args.Text)}
	if change := textOperations[args.Operation]; change != nil {
		res.Output = change(args.Text)
	} else {
		most, suffix := defaultCut, defaultSuffix
		if o := args.Options; o != nil && o.MaxLength != nil {
			most = cutToInt(*o.MaxLength)
		}
		if o := args.Options; o != nil && o.Suffix != nil {
			suffix = *o.Suffix
		}
		res.Output, _ = truncateText(args.Text, most, suffix, false)
	}
	res.OutputLength = textLength(res.Output)
	return res
}

// slugOf is text as a part of an address: small ASCII letters, digits and hyphens.
// Letters of other scripts are spelled with those.
func slugOf(text string) string {
	return slug.MakeLang(slugWords.Replace(text), "en")
}

// slugWords keeps signs that are read as words apart from the words beside them.
var slugWords = strings.NewReplacer("_", " ", "&", " and ", "@", " at ")
