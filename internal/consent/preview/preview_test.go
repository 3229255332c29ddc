package preview

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// of is Of for arguments that can be shown.
func of(t testing.TB, args, schema string) Preview {
	t.Helper()
	p, err := Of([]byte(args), []byte(schema))
	if err != nil {
		t.Fatalf("Of(%.300s) = %v", args, err)
	}
	return p
}

func TestOf(t *testing.T) {
	t.Parallel()
	p := of(t, `{"method":"POST","url":"https://example.com/a?b=1","n":1.50e3,"big":12345678901234567890.10,"on":true,"none":null,`+
		`"headers":{"Accept":"text/html","X y":"1"},"items":["a",{"name":"k"},[]],"empty":{}}`, "")
	wantText := `method: "POST"
url: "https://example.com/a?b=1"
n: 1.50e3
big: 12345678901234567890.10
on: true
none: null
headers.Accept: "text/html"
headers["X y"]: "1"
items[0]: "a"
items[1].name: "k"
items[2]: []
empty: {}
`
	if diff := cmp.Diff(wantText, p.Text); diff != "" {
		t.Errorf("Text (-want +got):\n%s", diff)
	}
	want := `{"method":"POST","url":"https://example.com/a?b=1","n":1.50e3,"big":12345678901234567890.10,"on":true,"none":null,` +
		`"headers":{"Accept":"text/html","X y":"1"},"items":["a",{"name":"k"},[]],"empty":{}}`
	if string(p.Arguments) != want {
		t.Errorf("Arguments = %s, want what came", p.Arguments)
	}
	if p.Cut || p.Hidden != nil || p.Warnings != nil {
		t.Errorf("Cut, Hidden, Warnings = %v, %q, %q, want none", p.Cut, p.Hidden, p.Warnings)
	}
}

func TestOfNothing(t *testing.T) {
	t.Parallel()
	if p := of(t, ` {} `, ""); string(p.Arguments) != "{}" || p.Text != "(no arguments)\n" {
		t.Errorf("Of({}) = %s, %q", p.Arguments, p.Text)
	}
}

func TestOfForgery(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, value, text, parsed string }{
		{"another line", "a\npath: \"b\"\r\n\tc", `"a\npath: \"b\"\r\n\tc"`, `a\npath: "b"\r\n\tc`},
		{"markup", `<b onclick="x">&amp;`, `"\u003cb onclick=\"x\"\u003e\u0026amp;"`, `<b onclick="x">&amp;`},
		{"a terminal", "\x1b[2K\x1b]0;x\a\u009b1m\x7f", `"\u001b[2K\u001b]0;x\u0007\u009b1m\u007f"`, `\u001b[2K\u001b]0;x\u0007\u009b1m\u007f`},
		{"an override", "x\u202egpj.exe\u2066\u200f", `"x\u202egpj.exe\u2066\u200f"`, `x\u202egpj.exe\u2066\u200f`},
		{"the codes themselves", `x\u202e\`, `"x\\u202e\\"`, `x\\u202e\\`},
		{"a hidden value", "•••", `"\u2022\u2022\u2022"`, `\u2022\u2022\u2022`},
		{
			"a cut", "a … 5 more characters (9 in all) … b", `"a \u2026 5 more characters (9 in all) \u2026 b"`,
			`a \u2026 5 more characters (9 in all) \u2026 b`,
		},
		{"nothing", "", `""`, ""},
	} {
		args, _ := json.Marshal(map[string]string{"a": tt.value})
		p := of(t, string(args), "")
		if p.Text != "a: "+tt.text+"\n" {
			t.Errorf("%s: Text = %s, want a: %s", tt.name, p.Text, tt.text)
		}
		var literal string
		if err := json.Unmarshal([]byte(tt.text), &literal); err != nil || literal != tt.value {
			t.Errorf("%s: the literal in Text reads %q, %v, want the value %q", tt.name, literal, err, tt.value)
		}
		var parsed map[string]string
		if err := json.Unmarshal(p.Arguments, &parsed); err != nil || parsed["a"] != tt.parsed {
			t.Errorf("%s: Arguments = %s, %v, parsed want %s", tt.name, p.Arguments, err, tt.parsed)
		}
		if strings.ContainsAny(string(p.Arguments)+p.Text, "<>&") {
			t.Errorf("%s: bare markup in %s or %s", tt.name, p.Arguments, p.Text)
		}
	}
}

func TestOfNames(t *testing.T) {
	t.Parallel()
	p := of(t,
		`{"a.b":1,"a":{"b":2},"x\n":3,"":4,"… b":5,"`+strings.Repeat("k", 200)+`":{"`+strings.Repeat("k", 201)+
			`":6,"sk-abcdefghijklmnop1":7,"sk-abcdefghijklmnop2":8}}`,
		"")
	long := `"` + strings.Repeat("k", 66) + "… 100 more characters (200 in all) …" + strings.Repeat("k", 34) + ` (member 6)"`
	want := `["a.b"]: 1
a.b: 2
["x\n"]: 3
[""]: 4
["\u2026 b"]: 5
[` + long + `]["` + strings.Repeat("k", 66) + "… 101 more characters (201 in all) …" + strings.Repeat("k", 34) + ` (member 1)"]: 6
[` + long + `]["sk-••• (member 2)"]: 7
[` + long + `]["sk-••• (member 3)"]: 8
`
	want = shortPaths(want)
	if got := shortPaths(p.Text); got != want {
		t.Errorf("Text =\n%s\nwant\n%s", got, want)
	}
	if !p.Cut {
		t.Error("Cut = false though a name was cut")
	}
}

// shortPaths shortens each line to its two ends, since long paths are cut themselves.
func shortPaths(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len(line) > 100 {
			lines[i] = line[:40] + line[len(line)-40:]
		}
	}
	return strings.Join(lines, "\n")
}

func TestOfWarnsOfNames(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		`{"path":1,"PATH":2,"Path":3}`:         {`PATH: the name differs from "path" only`, `Path: the name differs from "path" only`},
		`{"o":[{"\u00e9":1,"e\u0301":2}]}`:     {"o[0][\"e\u0301\"]: the name differs from \"\u00e9\" only"},
		`{"a":{"size":1,"\u017fize":2}}`:       {"a[\"\u017fize\"]: the name differs from \"size\" only"},
		`{"key":1,"\u212aey":2,"a":{"KEY":1}}`: {"[\"\u212aey\"]: the name differs from \"key\" only"},
		`{"path":1,"pa\u200bth":2}`: {
			`["pa\u200bth"]: the name contains invisible`, `["pa\u200bth"]: the name differs from "path" only`,
		},
		"{\"path\":1,\"\uff50ath\":2}":        {"[\"\uff50ath\"]: the name differs from \"path\" only"},
		`{"path":1,"paths":2,"a":{"path":3}}`: nil,
		`{"a\u202eb":1}`:                      {`["a\u202eb"]: the name contains invisible`},
	} {
		got := of(t, args, "").Warnings
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("Of(%s).Warnings = %q, want %q", args, got, want)
		}
	}
}

func TestOfRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 129) + "1" + strings.Repeat("}", 129)
	for _, tt := range []struct{ args, schema, want string }{
		{``, ``, "not a JSON object"},
		{`[]`, ``, "not a JSON object"},
		{`{"a":1`, ``, "arguments"},
		{`{"a":1}{}`, ``, "something follows"},
		{`{"a":1,"a":2}`, ``, "duplicate"},
		{"{\"a\":\"\xff\"}", ``, "UTF-8"},
		{deep, ``, "more than 128 levels"},
		{`{"a":"` + strings.Repeat("x", maxArguments) + `"}`, ``, "larger than 2 MiB"},
		{`{}`, `{"writeOnly":`, "the tool's schema cannot be read"},
	} {
		if p, err := Of([]byte(tt.args), []byte(tt.schema)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Of(%.40s) = %.100s, %v, want an error with %q", tt.args, p.Text, err, tt.want)
		}
	}
}
