package js

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestSyntaxErrorsSayWhere(t *testing.T) {
	t.Parallel()
	for source, says := range map[string]string{
		"let a = 1\nlet b = ;":   "x.js:2:9: Unexpected token ;",
		"function execute( {":    "x.js:1:",
		"let a; let a":           "x.js:1:12: Identifier 'a' has already been declared",
		"import x from 'y'":      "x.js:1:1: there are no modules",
		"export const a = 1":     "x.js:1:1: there are no modules",
		"await 1":                "x.js:1:7",
		"async function* g() {}": "x.js:1:",
		"return 1":               "x.js:1:1",
		"async function f() {\n for await (const a of b) {} }": "x.js:2: for await is not supported",
		"'\xff'":                 "x.js:1: it is not UTF-8",
		`const a = "\u{10FFFF}"`: "x.js: the code cannot be parsed", // a panic in goja's parser
	} {
		_, err := Compile("x.js", source)
		isFailure(t, "", checked(t, err), tool.ValidationError, says)
	}
	for body, says := range map[string]string{
		"let a = ;":         "body:1:9: Unexpected token ;",
		"\n\n  let a = ;":   "body:3:11: Unexpected token ;",
		"let a; let a":      "body:1:12: Identifier 'a'",
		"if (a) {\n return": "body:2: the '{' of line 1 is still open",
	} {
		_, err := CompileBody("body", body)
		isFailure(t, "", checked(t, err), tool.ValidationError, says)
	}
}

func TestSourceOverTheLimit(t *testing.T) {
	t.Parallel()
	most := strings.Repeat(" ", MaxSource)
	if _, err := Compile("x.js", most); err != nil {
		t.Fatal(err)
	}
	for _, compile := range []func(string, string) (*Program, error){Compile, CompileBody, CompileLib} {
		_, err := compile("x.js", most+" ")
		isFailure(t, "", err, tool.ValidationError, "at most 1048576 are allowed")
	}
}

// Code after a body that closes its function would run when the tool is loaded, not
// when it is called, and outside its function.
func TestBodyCannotLeaveItsFunction(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`}); evil(); (async function () {`,
		`}); evil(); (function () {`,
		`}, evil(), async function () {`,
		`}, async function () {`,
		`}; evil(); {`,
		`} + async function () {`,
		`}(), async function () {`,
		`})(evil(), async function () {`,
		`}); (async function (args, context, utils) {`,
		`}) /* `,
		`}) // `,
		"}) `",
		"}`${async function () {",
		`}).x = (async function () {`,
		`}) ? 1 : (async function () {`,
		`}); /*`,
		`*/ }) /*`,
		"\u2028}); evil(); (async function () {",
		"// \u2028 }); evil(); (async function () {",
		"-->\n}); evil(); (async function () {",
		`"use strict"; }); evil(); (async function () {`,
		`/}/.test("}"); }); evil(); (async function () {`,
		`}[evil()]; async function f() {`,
		`} async function f() {`,
		`}`,
		`{`,
		`)`,
		`(`,
	} {
		if _, err := CompileBody("body", body); err == nil {
			t.Errorf("taken: %s", body)
		}
	}
	for body, want := range map[string]string{
		`return 1 //`:      `1`,
		`return 1 /* } */`: `1`,
		"return '}); evil(); (function () {'.length": `26`,
		"return `}${1}); ${'}'}`":                    `"}1); }"`,
		`return /[/}]\/}\)/.test("/}/})")`:           `true`,
		"// }); evil()\u2028return 2":                `2`,
		`<!-- 1`:                                     ``,
		`return args-->0`:                            `false`,
		``:                                           `""`,
		`//`:                                         `""`,
		`"use strict"; return typeof this`:           `"undefined"`,
		`function args() { return 3 }; return args()`: `3`,
		`var utils = 4; return utils`:                 `4`,
	} {
		p, err := CompileBody("body", body)
		if want == "" {
			isFailure(t, "", err, tool.ValidationError, "body:1:")
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		returns(t, &Task{Program: p, Args: []byte(`{}`)}, want)
	}
}

// goja opens files that a script names as its source map, unless this is disabled. A
// pipe without a writer would block it.
func TestSourceMapsAreNotOpened(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	comment := "\n//# sourceMappingURL=file://" + pipe
	returns(t, script(t, "function execute() { return 1 }"+comment), `1`)
	returns(t, function(t, "return 2"+comment), `2`)
	task := script(t, "function execute(p) { return eval('3' + p.c) + new Function('return 4' + p.c)() + (0, eval)('5' + p.c) }")
	task.Args = []byte(`{"c":"\n//# sourceMappingURL=file://` + pipe + `"}`)
	returns(t, task, `12`)
	if _, err := os.Stat(pipe); err != nil {
		t.Fatal(err)
	}
}

func TestDefines(t *testing.T) {
	t.Parallel()
	p, err := Compile("x.js", `
		function f() { function inner() {} }
		async function g() {}
		function* h() {}
		class C { method() {} }
		const a = 1, {b, c: d, e: [i, ...j], ...k} = {e: []}, [l = 1, {m}] = [1, {}]
		let n; var o = p2 = 1
		if (true) { var q = 1; let block = 1; function nested() {} }
		for (var r of []) {}
		// function comment() {}
		"function string() {}"
		label: 1
		globalThis.s = 1`)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "g", "h", "C", "a", "b", "d", "i", "j", "k", "l", "m", "n", "o", "q", "r"} {
		if !p.Defines(name) {
			t.Errorf("%s is defined", name)
		}
	}
	for _, name := range []string{"inner", "method", "c", "e", "p2", "block", "comment", "string", "label", "s", "", "toString", "__proto__"} {
		if p.Defines(name) {
			t.Errorf("%s is not defined", name)
		}
	}
}

func TestProgramHash(t *testing.T) {
	t.Parallel()
	a, err := Compile("a.js", "1")
	if err != nil {
		t.Fatal(err)
	}
	b, err := CompileBody("b", "1")
	if err != nil {
		t.Fatal(err)
	}
	if a.Hash != b.Hash || a.Hash != "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b" || a.Name != "a.js" {
		t.Fatal(a.Hash, b.Hash)
	}
	if _, err := CompileLib("l", "("); !errors.As(err, new(*tool.Error)) {
		t.Fatal(err)
	}
}
