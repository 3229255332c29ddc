package toolsdoc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// definition is a tool with an example, whose parameters and result have every feature
// that a page shows.
func definition(name string) tool.Definition {
	return tool.Definition{
		Name: name, Description: "Greet a|b <i>loudly</i>.", Category: "Web & API", Group: "web", Pool: "default",
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"who":{"type":"string","description":"Whom.","minLength":1,"maxLength":9,"writeOnly":true},
			"how":{"type":"string","enum":["loud","a|b"],"default":"loud"},
			"limit":{"type":"integer","maximum":50,"default":20},
			"options":{"type":"object","properties":{"deep":{"type":"object","properties":{"x":{"type":"boolean"}}}}},
			"rows":{"type":"array","minItems":1,"items":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}},
			"headers":{"type":"object","additionalProperties":{"type":"string"}},
			"any":{}},"required":["who","rows"]}`),
		ResultSchema: json.RawMessage(
			`{"type":"object","properties":{"text":{"type":"string","description":"What\nwas said.","enum":["hi","ho"]}},"required":["text"]}`,
		),
		Errors:  []tool.Kind{tool.NetworkError, tool.FileNotFound},
		Example: json.RawMessage(`{"who":"Ann","rows":[]}`),
		Risk:    tool.Medium, Confirmation: tool.ConfirmIfDestructive, Mutates: true, OpenWorld: true, TimeoutSeconds: 120,
		Aliases: []string{"hail"}, Limit: &tool.Limit{Param: "limit", Max: 50, Default: 20},
	}
}

const section = `
## greet

Greet a\|b &lt;i>loudly&lt;/i>.

Group ` + "`web`" + ` · medium risk · changes something · asks a person before it changes anything · at most 2m · reaches outside · ` +
	"`limit`" + ` is 20 by default and at most 50 · also called ` + "`hail`" + `

| Parameter | Type | Required | Default | Allowed | Meaning |
|---|---|---|---|---|---|
| ` + "`who`" + ` | string | yes |  | 1 to 9 characters | Whom. It is secret: shown to nobody and recorded nowhere. |
| ` + "`how`" + ` | string | no | ` + "`loud`" + ` | ` + "`loud`, `a\\|b`" + ` |  |
| ` + "`limit`" + ` | integer | no | ` + "`20`" + ` | at most 50 |  |
| ` + "`options`" + ` | object | no |  |  |  |
| ` + "`options.deep`" + ` | object | no |  |  |  |
| ` + "`options.deep.x`" + ` | boolean | no |  |  |  |
| ` + "`rows`" + ` | array of object | yes |  | at least 1 item |  |
| ` + "`rows[].id`" + ` | integer | yes |  |  |  |
| ` + "`headers`" + ` | object of string | no |  |  |  |
| ` + "`any`" + ` | any | no |  |  |  |

| Result | Type | Always there | Meaning |
|---|---|---|---|
| ` + "`text`" + ` | string | yes | What was said. One of ` + "`hi`, `ho`" + `. |

Errors: [` + "`file_not_found`" + `](README.md#errors-of-some-tools), [` + "`network_error`" +
	`](README.md#errors-of-some-tools), and [those of any call](README.md#errors-of-any-call).

Example:

` + "```json" + `
{"tool":"greet","arguments":{"who":"Ann","rows":[]}}
` + "```" + `

Answer:

` + "```json" + `
{"text":"Hello"}
` + "```\n"

func TestSection(t *testing.T) {
	g := Generator{Definitions: []tool.Definition{definition("greet"), definition("a.b")}, Play: always(`{"text":"Hello"}`)}
	pages, notes, err := g.Pages(t.Context())
	if err != nil || notes != nil {
		t.Fatalf("Pages: %v, %v, want neither notes nor an error", notes, err)
	}
	page := pages["web-api.md"]
	if _, got, _ := strings.Cut(page, "\n## greet\n"); cmp.Diff(section, "\n## greet\n"+got) != "" {
		t.Errorf("the section differs (-want +got):\n%s", cmp.Diff(section, "\n## greet\n"+got))
	}
	if want := "# Web & API\n\n[All categories](README.md) · [a.b](#ab), [greet](#greet)\n\n## a.b\n"; !strings.Contains(page, want) {
		t.Errorf("the page begins with %.200q, want %q", page, want)
	}
	if want := "| [Web & API](web-api.md) | 2 | [a.b](web-api.md#ab), [greet](web-api.md#greet) |\n"; !strings.Contains(pages["README.md"],
		want) ||
		len(pages) != 2 {
		t.Errorf("%d pages, README %.900q, want 2 and in it %q", len(pages), pages["README.md"], want)
	}
}

func always(value string) func(context.Context, *tool.Definition) (Outcome, error) {
	return func(context.Context, *tool.Definition) (Outcome, error) {
		return Outcome{Value: json.RawMessage(value)}, nil
	}
}

// each answers the calls with values in turn.
func each(values ...string) func(context.Context, *tool.Definition) (Outcome, error) {
	n := 0
	return func(context.Context, *tool.Definition) (Outcome, error) {
		n++
		return Outcome{Value: json.RawMessage(values[(n-1)%len(values)])}, nil
	}
}

func lasting(o Outcome) func(context.Context, *tool.Definition) (Outcome, error) {
	return func(context.Context, *tool.Definition) (Outcome, error) { return o, nil }
}

func TestAnswers(t *testing.T) {
	var long []string
	for i := range 60 {
		long = append(long, fmt.Sprintf(`{"n%d":%d}`, i%2, i))
	}
	numbers := "[" + strings.Join(long, ",") + "]"
	cutNumbers, err := display(json.RawMessage(numbers))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		play func(context.Context, *tool.Definition) (Outcome, error)
		old  string
		want string
		note string
	}{
		{"stable", always(`{"a":1}`), `{"a":2}`, `{"a":1}`, ""},
		{"first of varying ones", each(`{"a":1}`, `{"a":2}`), "", `{"a":1}`, ""},
		{"the same by chance", each(`{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":2}`), `{"a":7}`, `{"a":7}`, ""},
		{"varying, as before", each(`{"a":1}`, `{"a":2}`), `{"a":7}`, `{"a":7}`, ""},
		{"varying, another name", each(`{"a":1}`, `{"a":2}`), `{"b":7}`, `{"a":1}`, ""},
		{"varying, another type", each(`{"a":1}`, `{"a":2}`), `{"a":"x"}`, `{"a":1}`, ""},
		{"varying, more than before", each(`{"a":1,"b":true}`, `{"a":2,"b":true}`), `{"a":7}`, `{"a":1,"b":true}`, ""},
		{"varying lists", each(`[1]`, `[1,2,3]`), `[7,8]`, `[7,8]`, ""},
		{"of the machine", lasting(Outcome{Value: json.RawMessage(`{"cpus":2}`), Varies: true}), `{"cpus":64}`, `{"cpus":64}`, ""},
		{"cut", always(numbers), "", strings.Join(cutNumbers[:mostLines], "\n") + "\n... 142 more lines", ""},
		{
			"varying and cut", lasting(Outcome{Value: json.RawMessage(numbers), Varies: true}),
			strings.ReplaceAll(cut(cutNumbers), `": 1`, `": 9`), strings.ReplaceAll(cut(cutNumbers), `": 1`, `": 9`), "",
		},
		{"long text", always(`"` + strings.Repeat("ä", 300) + `"`), "", `"` + strings.Repeat("ä", 239) + `..."`, ""},
		{
			"no program", lasting(Outcome{Skipped: "no ffmpeg"}), `{"a":7}`, `{"a":7}`,
			"greet: the example was not played and keeps the answer it has: no ffmpeg",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := Generator{Definitions: []tool.Definition{definition("greet")}, Play: tt.play}
			g.Old = func(string) (string, bool) { return answer{text: tt.old}.String(), tt.old != "" }
			pages, notes, err := g.Pages(t.Context())
			_, after, found := strings.Cut(pages["web-api.md"], answerOpens)
			got, _, _ := strings.Cut(after, answerCloses)
			if err != nil || got != tt.want || found != (tt.want != "") {
				t.Errorf("answer %q, %v, want %q", got, err, tt.want)
			}
			if strings.Join(notes, "\n") != tt.note {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

// A refusal has an introduction of its own, and does not keep an answer of the other
// kind.
func TestRefusals(t *testing.T) {
	refused := Outcome{Value: json.RawMessage(`{"message":"Set a key."}`), Refused: true, Varies: true}
	for _, tt := range []struct {
		name string
		out  Outcome
		old  answer
		want string
	}{
		{"new", refused, answer{}, refusalOpens + `{"message":"Set a key."}` + answerCloses},
		{"as before", refused, answer{`{"message":"Set it."}`, true}, refusalOpens + `{"message":"Set it."}` + answerCloses},
		{
			"no longer played", Outcome{Skipped: "not here"}, answer{`{"message":"Set it."}`, true},
			refusalOpens + `{"message":"Set it."}` + answerCloses,
		},
		{"no longer a success", refused, answer{`{"message":"Done."}`, false}, refusalOpens + `{"message":"Set a key."}` + answerCloses},
		{
			"a success now", Outcome{Value: json.RawMessage(`{"message":"Done."}`), Varies: true}, answer{`{"message":"Set it."}`, true},
			answerOpens + `{"message":"Done."}` + answerCloses,
		},
	} {
		g := Generator{Definitions: []tool.Definition{definition("greet")}, Play: lasting(tt.out)}
		g.Old = func(string) (string, bool) { return tt.old.String(), true }
		pages, _, err := g.Pages(t.Context())
		if page := pages["web-api.md"]; err != nil || !strings.HasSuffix(page, "\n```\n"+tt.want) {
			t.Errorf("%s: %v, the page ends with %q, want %q", tt.name, err, page[max(0, len(page)-len(tt.want)-20):], tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	for line, want := range map[string]string{
		`  "x": "` + a(233) + `",`:             `  "x": "` + a(232) + `...",`,
		`  "x": "` + a(232) + `",`:             `  "x": "` + a(232) + `",`,
		`"` + a(238) + `\"bbb"`:                `"` + a(238) + `\"..."`,
		`"` + a(238) + `\u2028bbb"`:            `"` + a(238) + `\u2028..."`,
		`"` + a(238) + `\\\\bb"`:               `"` + a(238) + `\\..."`,
		`"` + strings.Repeat(`\n`, 200) + `"`:  `"` + strings.Repeat(`\n`, 200) + `"`,
		`"` + strings.Repeat(`\n`, 300) + `",`: `"` + strings.Repeat(`\n`, 239) + `...",`,
		strings.Repeat("1", 300):               strings.Repeat("1", 240) + "...",
	} {
		if got := shorten(line); got != want {
			t.Errorf("shorten(%s) = %s, want %s", line, got, want)
		}
	}
}

func TestPagesFail(t *testing.T) {
	broken := definition("greet")
	broken.Parameters = json.RawMessage(`{"properties":[1]}`)
	fails := func(context.Context, *tool.Definition) (Outcome, error) { return Outcome{}, errors.New("no such file") }
	for _, tt := range []struct {
		d    tool.Definition
		play func(context.Context, *tool.Definition) (Outcome, error)
		want string
	}{
		{definition("greet"), fails, "the example of greet fails: no such file"},
		{definition("greet"), always(`{`), "the answer to the example of greet"},
		{definition("greet"), lasting(Outcome{Skipped: "no ffmpeg"}), "the example of greet has no answer yet and cannot be played: no ffmpeg"},
		{broken, always(`{}`), "greet: parameters"},
	} {
		g := Generator{Definitions: []tool.Definition{tt.d, definition("other")}, Play: tt.play}
		pages, _, err := g.Pages(t.Context())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Pages: error %v, want %q", err, tt.want)
		}
		if !strings.Contains(pages["web-api.md"], "\n## other\n") {
			t.Errorf("%s: the other tool is not on its page", tt.want)
		}
	}
}

func TestBareTool(t *testing.T) {
	bare := tool.Definition{
		Name:         "bare",
		Category:     "C",
		Risk:         tool.High,
		Parameters:   json.RawMessage(`{"type":"object"}`),
		ResultSchema: json.RawMessage(`{"type":"array","items":{"type":"string"}}`),
	}
	pages, notes, err := (&Generator{Definitions: []tool.Definition{bare}}).Pages(t.Context())
	if err == nil || err.Error() != "bare has no example" || notes != nil {
		t.Errorf("Pages of a bare tool: %q, %v", notes, err)
	}
	for _, want := range []string{
		"It takes no parameters.", "The result is of type array of string.", "high risk · changes nothing · always asks a person",
		"\nErrors: [those of any call]",
	} {
		if !strings.Contains(pages["c.md"], want) {
			t.Errorf("the page of a bare tool lacks %q:\n%s", want, pages["c.md"])
		}
	}
}

// Every kind of error is explained.
func TestMeanings(t *testing.T) {
	for _, kind := range tool.Kinds() {
		if !strings.HasSuffix(meanings[kind], ".") {
			t.Errorf("the README does not explain %s", kind)
		}
	}
	if len(meanings) != len(tool.Kinds()) {
		t.Errorf("the README explains %d kinds, there are %d", len(meanings), len(tool.Kinds()))
	}
}
