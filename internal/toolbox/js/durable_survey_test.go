package js_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

func TestSurvey(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`return 1`:           ``,
		`await tools.echo()`: `echo[] 1:7`,
		"\n  tools.a.b({x: 1, 'y': 2, z, m() {}, 3: 4})": `a.b[x y z m]… 2:3`,
		`tools["a.b"]({x})`:                                          `a.b[x] 1:1`,
		`tools["a"]["b"].c(input)`:                                   `a.b.c[]… 1:1`,
		`tools.a({...x, y: 1, [z]: 2})`:                              `a[y]… 1:1`,
		`tools.a(...x)`:                                              `a[]… 1:1`,
		`tools[name]({}); tools["a" + b](); tools[0]()`:              ``,
		`tools.a.call(null, {}); tools.a.toString(); tools.toJSON()`: ``,
		`tools.call({x: 1})`:                                         `call[x] 1:1`,
		`if (0) { try { tools.a() } finally { tools.b() } } else for (;;) tools.c()`:                                                                     `a[] 1:16,b[] 1:38,c[] 1:66`,
		`const f = async x => (await tools.a(x)).then(() => tools.b({x})); class C { m = tools.c(); static { tools.d() } get e() { return tools.e() } }`: `a[]… 1:29,b[x] 1:52,c[] 1:81,d[] 1:101,e[] 1:130`,
		"`${tools.a()}`; x = {[tools.b()]: tools.c(tools.d())}":                                                                                          `a[] 1:4,b[] 1:23,c[]… 1:35,d[] 1:43`,
		`tools.a({x: 1}); tools.a({x: 2}); tools.a({y: 2})`:                                                                                              `a[x] 1:1,a[y] 1:35`,
		// Not the tools of the program.
		`const t = tools; t.a()`:                                                         ``,
		`list.map(tools => tools.a()); tools.b()`:                                        `b[] 1:31`,
		`function f(tools) { tools.a() } tools.b()`:                                      `b[] 1:33`,
		`function f({tools}) { tools.a() }`:                                              ``,
		`function f(...tools) { tools.a() }`:                                             ``,
		`function f() { if (1) { var tools } tools.a() } tools.b()`:                      `b[] 1:49`,
		`{ let tools = x; tools.a() } tools.b()`:                                         `b[] 1:30`,
		`{ function tools() {} tools.a() }`:                                              ``,
		`{ class tools {} tools.a() }`:                                                   ``,
		`try {} catch (tools) { tools.a() } tools.b()`:                                   `b[] 1:36`,
		`for (const tools of x) tools.a(); tools.b()`:                                    `b[] 1:35`,
		`for (let tools = x; ; ) tools.a()`:                                              ``,
		`switch (x) { case 1: let tools = y; tools.a() }`:                                ``,
		`(function tools() { tools.a() })(); tools.b()`:                                  `b[] 1:37`,
		`tools = x; tools.a()`:                                                           ``,
		`[tools] = x; tools.a()`:                                                         ``,
		`for (tools of x) tools.a()`:                                                     ``,
		`var tools; tools.a()`:                                                           ``,
		`with (x) tools.a()`:                                                             ``,
		`x.tools.a(); this.tools.a(); mytools.a()`:                                       ``,
		`tools.` + strings.Repeat("x", 200) + `()`:                                       ``,
		`tools.a({["__proto__"]: 1, __proto__: 2, ` + strings.Repeat("x", 200) + `: 1})`: `a[]… 1:1`,
	} {
		uses, err := js.Survey("p", code, false)
		var got []string
		for _, u := range uses {
			open := ""
			if u.Open {
				open = "…"
			}
			got = append(got, fmt.Sprintf("%s%v%s %d:%d", u.Name, u.Keys, open, u.Line, u.Column))
		}
		if strings.Join(got, ",") != want || err != nil {
			t.Errorf("%s\n= %s, %v, want %s", code, strings.Join(got, ","), err, want)
		}
	}
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "tools.t%d({a: 1});\n", i)
	}
	if uses, err := js.Survey("p", many.String(), true); err != nil || len(uses) != 2000 {
		t.Errorf("%d uses, %v", len(uses), err)
	}
}

func TestSurveyRefuses(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"return )":                              "line 1, column 8: ",
		"await 1;\n  fetch('x'); setTimeout(f)": "line 2, column 3: there is no 'fetch' here: a program reaches the network and files through tools only, as in tools.NAME({…}); line 2, column 15: there is no 'setTimeout' here: ",
		"return args.x":                         "what the program was given is in input",
	} {
		_, err := js.Survey("p", code, false)
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.Contains(e.Msg, want) {
			t.Errorf("%s: %v, want %s", code, err, want)
		}
	}
	for _, code := range []string{"const fetch = x => x; fetch(1)", "if (typeof fetch === 'function') fetch('x')", "return input.args + {fetch: 1}.fetch"} {
		if _, err := js.Survey("p", code, false); err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	look := func(name string) js.Verdict {
		v := js.Verdict{Known: true, Allowed: true, Mutates: name == "write", Parameters: "parameters: path (string)"}
		v.Parameter = func(key string) (bool, string) {
			if key == "pth" {
				return false, "path"
			}
			return key == "path", ""
		}
		switch name {
		case "echa":
			return js.Verdict{Near: []string{"echo", "each"}}
		case "zzz":
			return js.Verdict{}
		case "secret":
			v.Allowed = false
		case "foreign":
			v.Parameter = nil
		}
		return v
	}
	for code, want := range map[string]string{
		`tools.read({path: 1}); tools.write({path: 1}); tools.read(x); tools.foreign({q: 1})`: ``,
		"\n tools.echa()":               `line 2, column 2: tool 'echa' not found; the nearest are echo, each`,
		`tools.zzz()`:                   `line 1, column 1: tool 'zzz' not found; search_tools finds the names`,
		`tools.secret({pth: 1})`:        `line 1, column 1: the program may not call 'secret'; add it to tools`,
		`tools.read({other: 1})`:        ``,
		`tools.write({other: 1})`:       `line 1, column 1: tool 'write': unknown parameter 'other'; parameters: path (string)`,
		`tools.read({pth: 1})`:          `line 1, column 1: tool 'read': unknown parameter 'pth': did you mean 'path'?; parameters: path (string)`,
		`tools.read({pth: 1, path: 1})`: ``,
		`tools.read({pth: 1, ...x})`:    ``,
		`tools.write({pth: 1, ...x})`:   `line 1, column 1: tool 'write': unknown parameter 'pth': did you mean 'path'?; parameters: path (string)`,
		`tools.zzz(); tools.zzz({a: 1}); tools.zzz({b: 1}); tools.zzz({c: 1}); tools.zzz({d: 1}); tools.zzz({e: 1})`: `and 1 more`,
	} {
		uses, err := js.Survey("p", code, false)
		if err != nil {
			t.Errorf("%s: %v", code, err)
		}
		got := js.Check(uses, look)
		switch {
		case want == "" && got != nil, want != "" && (got == nil || got.Kind != tool.ValidationError || !strings.HasSuffix(got.Msg, want)):
			t.Errorf("%s: %v, want %s", code, got, want)
		}
	}
}
