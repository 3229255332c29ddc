package text

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// transformCases lists the cases of both names of the tool.
func transformCases() []tooltest.Case {
	var cases []tooltest.Case
	for _, c := range []struct{ operation, text, want string }{
		{"uppercase", "straße ﬁn", "STRASSE FIN"},
		{"lowercase", "ÀB ΟΔΟΣ", "àb οδος"},
		{"capitalize", "hELLO wORLD", "Hello world"},
		{"capitalize", "  «été» ici", "  «Été» ici"},
		{"capitalize", "", ""},
		{"title_case", "the QUICK don't well-known ǆep", "The Quick Don't Well-Known ǅep"},
		{"title_case", "the 3RD 4x4", "The 3rd 4x4"},
		{"trim", "\ufeff \t hello \u00a0\n", "hello"},
		{"trim_start", "  hello  ", "hello  "},
		{"trim_end", "  hello  ", "  hello"},
		{"slugify", "  Crème Brûlée & Friends! snake_case it's ", "creme-brulee-and-friends-snake-case-its"},
		{"slugify", "北京 2024", "bei-jing-2024"},
		{"slugify", "!!!", ""},
		{"camel_case", "hello world", "helloWorld"},
		{"camel_case", "HTTPServerID", "httpServerId"},
		{"camel_case", "", ""},
		{"snake_case", "helloWorld test", "hello_world_test"},
		{"snake_case", "XML2JSON", "xml2_json"},
		{"snake_case", "sha256Hash of H2O in 3DModels", "sha256_hash_of_h2o_in_3d_models"},
		{"snake_case", "user's-name", "users_name"},
		{"kebab_case", "jsonData snake_case", "json-data-snake-case"},
		{"kebab_case", "été À la carte", "été-à-la-carte"},
		{"pascal_case", "hello world", "HelloWorld"},
		{"pascal_case", "kebab-case HTML", "KebabCaseHtml"},
		{"reverse", "cafe\u0301 👨‍👩‍👧!", "!👨‍👩‍👧 e\u0301fac"},
		{"remove_whitespace", "h e\tl\nl\u3000o", "hello"},
		{"normalize_whitespace", "  a \n\n b\t c ", "a b c"},
		{"remove_diacritics", "Ærø Čeština Łódź e\u0301", "Æro Cestina Lodz e"},
	} {
		args, err := json.Marshal(map[string]string{"text": c.text, "operation": c.operation})
		if err != nil {
			panic(err)
		}
		want, err := json.Marshal(transformed{
			Operation: c.operation, Input: c.text, Output: c.want, InputLength: textcount.Characters(c.text),
			OutputLength: textcount.Characters(c.want),
		})
		if err != nil {
			panic(err)
		}
		cases = append(cases, tooltest.Case{Name: c.operation + " " + c.text, Args: string(args), Want: string(want), WantText: c.want})
	}
	return cases
}

func TestTransformText(t *testing.T) {
	tooltest.Run(t, Set, "transform_text", tool.Call{}, append(transformCases(), []tooltest.Case{
		{
			Name: "truncate", Args: `{"text":"Hello World this is a long sentence that needs truncation","operation":"truncate","options":{"maxLength":15,"suffix":"~"}}`,
			Want: `{"operation":"truncate","input":"Hello World this is a long sentence that needs tru...","output":"Hello World th~","inputLength":57,"outputLength":15}`,
		},
		{Name: "short", Args: `{"text":"short","operation":"truncate","options":{"maxLength":100}}`, WantText: "short"},
		{
			Name:     "usual length and suffix",
			Args:     `{"text":"` + strings.Repeat("x", 101) + `","operation":"truncate"}`,
			WantText: strings.Repeat("x", 97) + "...",
		},
		{Name: "no suffix", Args: `{"text":"abcdef","operation":"truncate","options":{"maxLength":3,"suffix":""}}`, WantText: "abc"},
		{Name: "no room for the suffix", Args: `{"text":"abcdef","operation":"truncate","options":{"maxLength":3}}`, WantText: "abc"},
		{
			Name:     "a family is not torn apart",
			Args:     `{"text":"ab👨‍👩‍👧cd","operation":"truncate","options":{"maxLength":5,"suffix":"~"}}`,
			WantText: "ab~",
		},
		{Name: "nor is one that is too long", Args: `{"text":"👨‍👩‍👧👨‍👩‍👧","operation":"truncate","options":{"maxLength":4}}`, WantText: "..."},
		{Name: "flags", Args: `{"text":"🇹🇷🇩🇪","operation":"truncate","options":{"maxLength":3.9,"suffix":""}}`, WantText: "🇹🇷"},
		{
			Name:    "nothing kept",
			Args:    `{"text":"abc","operation":"truncate","options":{"maxLength":0}}`,
			Fails:   tool.ValidationError,
			Message: "maxLength",
		},
		{Name: "unknown", Args: `{"text":"abc","operation":"rot13"}`, Fails: tool.ValidationError, Message: "must be one of: uppercase"},
		{Name: "no operation", Args: `{"text":"abc"}`, Fails: tool.ValidationError, Message: "operation"},
	}...))
}
