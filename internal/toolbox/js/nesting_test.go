package js

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// Each of these sources would overflow the parser's stack, or take minutes.
func TestSourceThatNestsTooDeeply(t *testing.T) {
	t.Parallel()
	const n = 100_000
	for _, source := range []string{
		strings.Repeat("(", 2*n),
		strings.Repeat("[", n),
		strings.Repeat("{", n),
		strings.Repeat("({a:", n),
		strings.Repeat("`${", n),
		strings.Repeat("(function () {", n/2),
		strings.Repeat("(class extends ", n/2),
		strings.Repeat("(", n) + "1" + strings.Repeat(")", n),
		strings.Repeat("f(", n/4) + strings.Repeat(")", n/4),
		strings.Repeat("if (a) {", n),
		strings.Repeat("!", n),
		strings.Repeat("- ", n),
		strings.Repeat("typeof ", n),
		strings.Repeat("a = ", n),
		strings.Repeat("a => ", n),
		strings.Repeat("a + ", n),
		strings.Repeat(`"" + `, n),
		strings.Repeat("a ? b : ", n),
		strings.Repeat("a ?? ", n),
		"a" + strings.Repeat(".a", n),
		"a" + strings.Repeat("()", n),
		"a" + strings.Repeat("?.a", n),
		strings.Repeat("new ", n),
		strings.Repeat("if (a) ", n),
		strings.Repeat("if (a); else ", n/2),
		strings.Repeat("if (a) b, c; else ", n/2),
		strings.Repeat("if (a) return; else ", n/2),
		strings.Repeat("for (;;) ", n),
		strings.Repeat("do ", n),
		strings.Repeat("a: ", n),
		// Brackets that close only for a careless reader. The commas keep the
		// expressions short.
		strings.Repeat("(/)/,", n/4),
		strings.Repeat("(')',", n/4),
		strings.Repeat("(`)`,", n/4),
		strings.Repeat("(/*)*/", n/4),
		strings.Repeat("(//)\n", n/4),
		strings.Repeat("(//)\u2028", n/4),
		strings.Repeat("(//)\r", n/4),
		strings.Repeat(`("\")",`, n/8),
		strings.Repeat(`(/[/)]/,`, n/8),
		strings.Repeat(`(/\/)/,`, n/8),
		strings.Repeat("((a)/b,/)/,", n/16),
		strings.Repeat("(...typeof/)/,", n/16),
		strings.Repeat("(++/)/.a,", n/16),
		strings.Repeat("(()=>{a\n++/})/.b;", n/16),
		strings.Repeat("{if(a)/})}/;", n/16),
		strings.Repeat("({}/1/(", n/16),
		strings.Repeat("(()=>{let a\n/})/;", n/16),
		strings.Repeat("(=\u00a0/)/,", n/16),
		strings.Repeat("(=\ufeff/)/,", n/16),
		strings.Repeat("(a.if(1)/(b)/", n/16),
	} {
		for _, compile := range []func(string, string) (*Program, error){Compile, CompileBody} {
			_, err := compile("x.js", source)
			isFailure(t, "", checked(t, err), tool.ValidationError, "x.js:")
			if !strings.Contains(err.Error(), "nests too deeply") && !strings.Contains(err.Error(), "unclear") {
				t.Errorf("%.40s: %v", source, err)
			}
		}
	}
}

// As deep as is allowed takes little stack and little time.
func TestDeepestSource(t *testing.T) {
	t.Parallel()
	long := 100_000 // members, which is near MaxSource
	if raced {
		long = 10_000
	}
	for _, source := range []string{
		strings.Repeat("(", 130) + "1" + strings.Repeat(")", 130),
		strings.Repeat("[", 130) + "1" + strings.Repeat("]", 130),
		"f(" + strings.Repeat("() => {", 90) + strings.Repeat("}", 90) + ")",
		"a" + strings.Repeat(" + a", 740),
		`""` + strings.Repeat(` + "aaaaaaaaaa"`, 740),
		strings.Repeat("a = b\nc = d;\n", long/5),
		strings.Repeat("var a = 1\nfunction f() { return 2 }\n", long/10),
		"[" + strings.Repeat("[1, 2], ", long) + "]",
		"({" + strings.Repeat("a: 1, ", long) + "})",
		"switch (a) {" + strings.Repeat("case 1: f(); break;\n", long/5) + "}",
		strings.Repeat("if (a) { b() } else ", 100) + ";",
		strings.Repeat("if (a) b(); else ", 100) + ";",
		"f(" + strings.Repeat("(a = 1, {b} = {}) => a / b, ", 1000) + ")",
		"var x = (a)/(b)/(c), y = a / b / c, z = x++ / 2, r = [/[/]/, /a\\/b/g], o = {a: 1}/2, w = a.return / 2",
		"if (a) /x/.test(b); while (a) /[)]/.exec(b)",
		"var a = `x${`y${1}`}z` / 2, b = `\\${` + `$`",
		"var π = 1, $a_1 = 0x1f + 0b1 + 0o7 + 1_000 + .5 + 1. + 1e-5 + 10n.a",
		"#!/usr/bin/env ((((((\nvar a",
		"class A { #p = 1; get x() { return this.#p } static if(a) { return a } }",
	} {
		if _, err := Compile("x.js", source); err != nil {
			t.Errorf("%.60s: %v", source, err)
		}
	}
}

// Constants are not computed while compiling, where nothing could interrupt it.
// Each of these would take longer than the age of the universe.
func TestConstantsAreNotComputed(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		strings.TrimSuffix(strings.Repeat("0||", 200), "||"),
		strings.TrimSuffix(strings.Repeat("1&&", 200), "&&"),
		strings.TrimSuffix(strings.Repeat("null??", 200), "??"),
		strings.Repeat("(0||", 60) + "0" + strings.Repeat("&&1)", 60),
		strings.Repeat("(!0&&", 60) + "0" + strings.Repeat("||1)", 60),
		"9n**9n**9n**9n",
		"(1n<<(1n<<60n))",
		"-1n<<9999999999n",
		"`${9n**9n**9n**9n}`",
		"[{a: (() => 9n**9n**9n**9n)}]",
		"class { static x = () => 9n**9n**9n**9n; [9n**9n**9n**9n]() {} }",
	} {
		for _, source := range []string{
			"function f() { return " + expression + " }", "f = (a = " + expression + ") => 1", "switch (1) { case 2: x = " + expression + " }",
		} {
			if _, err := Compile("x.js", source); err != nil {
				t.Errorf("%.60s: %v", source, err)
			}
		}
	}
	returns(t, script(t, `function execute() { return [0 || null || 5, 1 && 2 && 3, null ?? "a", 2 ** 3 ** 2, -1 + 2 * 3, "a" + "b", String(2n ** 64n), !0 && 7, typeof 1 === "number"] }`),
		`[5,3,"a",512,5,"ab","18446744073709551616",7,true]`)
}

func TestArrowsInParametersOfArrows(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("(a = ", n) + "1" + strings.Repeat(") => 1", n) }
	if _, err := Compile("x.js", nested(maxArrows)); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		nested(maxArrows + 1), nested(40), "async " + nested(40), strings.ReplaceAll(nested(40), "(", "async ("), "f([{a: " + nested(40) + "}])",
	} {
		_, err := Compile("x.js", source)
		isFailure(t, "", err, tool.ValidationError, "arrow functions nest too deeply")
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"return 1", "(a = /[)]/) => `${a}`", "if (a) /b/.c; else {}", "a\n++\nb / c", `"\u{10FFFF}"`, "0||0||0n**9n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, compile := range []func(string, string) (*Program, error){Compile, CompileBody, CompileLib} {
			if p, err := compile("x.js", source); (p == nil) == (err == nil) {
				t.Fatal(p, err)
			} else {
				_ = checked(t, err)
			}
		}
	})
}
