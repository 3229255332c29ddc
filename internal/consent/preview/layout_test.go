package preview

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// check verifies the promises of every preview.
func check(t testing.TB, p Preview) {
	t.Helper()
	if !jsontext.Value(p.Arguments).IsValid() || p.Arguments[0] != '{' {
		t.Errorf("Arguments are not one strict JSON object: %s", p.Arguments)
	}
	if len(p.Arguments) > maxBytes || len(p.Text) > maxBytes {
		t.Errorf("Arguments has %d bytes and Text %d, want at most %d", len(p.Arguments), len(p.Text), maxBytes)
	}
	if len(p.Hidden) > maxHidden || len(p.Warnings) > maxWarnings+2 {
		t.Errorf("%d hidden paths and %d warnings", len(p.Hidden), len(p.Warnings))
	}
	for _, text := range append(append([]string{string(p.Arguments), strings.ReplaceAll(p.Text, "\n", "")}, p.Hidden...), p.Warnings...) {
		if unusual(text) || strings.ContainsAny(text, "<>&\n\t") {
			t.Errorf("not plainly visible: %+q", text)
		}
	}
	if p.Cut != strings.Contains(p.Text, "… ") || p.Cut != strings.Contains(string(p.Arguments), "…") {
		t.Errorf("Cut = %v for %s", p.Cut, p.Text)
	}
}

func TestLayOutCuts(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789", 3000)
	list := strings.TrimSuffix(strings.Repeat(`"item",`, 20_000), ",")
	members := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"m%d":%s`, i, value)
		}
		return "{" + b.String()[1:] + "}"
	}
	nest := func(n int) string { return strings.Repeat(`{"a":[`, n) + strings.Repeat(`]}`, n) }
	for _, tt := range []struct {
		name, args string
		has        []string
	}{
		{
			"a long text", `{"content":"` + big + `END","path":"x"}`,
			[]string{`content: "0123`, "more characters (30,003 in all) …", "END\"\n", "path: \"x\"\n"},
		},
		{"two long texts", `{"a":"` + big + `AEND","b":"` + big + `BEND","c":1}`, []string{"AEND\"\n", "BEND\"\n", "c: 1\n"}},
		{
			"a long list before", `{"list":[` + list + `],"path":"x","o":{"deep":{"target":"y"}}}`,
			[]string{`list[0]: "item"`, "list: … 19,", "more items …\n", "path: \"x\"\n", "o.deep.target: \"y\"\n"},
		},
		{"a long object", `{"o":` + members(9000, `"x"`) + `,"path":"x"}`, []string{`o.m0: "x"`, "more members …\n", "path: \"x\"\n"}},
		{
			"all is deep", `{"a":` + members(9, members(9, members(9, members(9, `["x"]`)))) + `,"b":{"c":"y"}}`,
			[]string{"a.m0", "more members …\n", "b.c: \"y\"\n"},
		},
		{"every argument is long", members(30, `"`+big+`END"`), []string{"m0: \"0123", "END\"\nm1: ", "END\"\nm29: "}},
		{"every argument is a list", members(100, `[`+list[:6999]+`]`), []string{"m0[0]: \"item\"", "more items …\nm1", "m99"}},
		{"many arguments", members(20_000, `"x"`), []string{"m0: \"x\"\nm1: \"x\"\n", "more arguments …\n"}},
		{
			"many long arguments", members(1000, `{"o":"`+strings.Repeat("x", 500)+`"}`),
			[]string{"m0: … object of 1 member …\n", "more arguments …\n"},
		},
		{"wide codes", members(40, `"`+strings.Repeat(`\udb40\udc41`, 200)+`"`), []string{`m39: "\udb40\udc41`}},
		{"as deep as it gets", `{"x":` + nest(63) + `}`, []string{"x.a[0].a[0]", ".a: []\n"}},
		{"empty lists", `{"x":[` + strings.TrimSuffix(strings.Repeat(`[],`, 300_000), ",") + `],"y":[{}]}`, []string{"x[0]: []\n", "y[0]: {}\n"}},
		{"a long list within", `{"o":{"list":[` + list + `],"path":"x"}}`, []string{`o.list[0]: "item"`, "o.list: … 19,", "o.path: \"x\"\n"}},
		{
			"others starve none", `{"a":[` + list + `],"b":[` + list + `],"c":[` + list + `],"d":[` + list + `],"e":[` + list + `],"f":{"g":1}}`,
			[]string{"e[0]: \"item\"", "f.g: 1\n"},
		},
	} {
		p := of(t, tt.args, "")
		check(t, p)
		at := 0
		for _, part := range tt.has {
			i := strings.Index(p.Text[at:], part)
			if i < 0 {
				t.Errorf("%s: Text has no %q where it should: %.2000s", tt.name, part, p.Text)
				break
			}
			at += i
		}
	}
}

// TestLayOutFits checks that arguments that fit are never cut.
func TestLayOutFits(t *testing.T) {
	t.Parallel()
	p := of(t, `{"content":"`+strings.Repeat("x", 16_000)+`","n":[1,2,{"a":{"b":[3]}}],"path":"x"}`, "")
	check(t, p)
	if p.Cut || !strings.Contains(p.Text, "n[2].a.b[0]: 3\npath: \"x\"\n") {
		t.Errorf("Cut = %v, Text = …%s", p.Cut, p.Text[len(p.Text)-100:])
	}
}

// TestLayOutCounts adds up the shown items and the counted ones.
func TestLayOutCounts(t *testing.T) {
	t.Parallel()
	p := of(t, `{"list":[`+strings.TrimSuffix(strings.Repeat(`12345,`, 10_000), ",")+`]}`, "")
	var parsed struct{ List []any }
	if err := json.Unmarshal(p.Arguments, &parsed); err != nil {
		t.Fatal(err)
	}
	shown := len(parsed.List) - 1
	if want := fmt.Sprintf("… %s more items …", thousands(10_000-shown)); shown < 100 || parsed.List[shown] != want {
		t.Errorf("%d items are shown, then %q, want %q", shown, parsed.List[shown], want)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	p := of(t, `{"a":[`+strings.TrimSuffix(strings.Repeat(`{"pin":1,"x\u200b":"\u200b"},`, 1000), ",")+`]}`, "")
	check(t, p)
	if n := len(p.Hidden); n != maxHidden || p.Hidden[1] != "a[1].pin" {
		t.Errorf("%d paths, the second %q", n, p.Hidden[1])
	}
	if n := len(p.Warnings); n != maxWarnings+2 || p.Warnings[n-2] != "values were hidden at 900 more paths" ||
		p.Warnings[n-1] != "there are 1,950 more warnings" {
		t.Errorf("%d warnings, the last %q", n, p.Warnings[n-2:])
	}
}
