package js

import (
	"strings"
	"testing"
)

// TestCheckBody: typical mistakes of models are reported with their line, before a
// person is asked.
func TestCheckBody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, code, says string }{
		{
			"never called", "async function execute(args) {\n  return args.n;\n}",
			"line 1: the function 'execute' is defined and never called, so the tool returns nothing; end the code with: return await execute(args)",
		},
		{"never called arrow", "const run = async (args) => {\n  return 1;\n};", "the function 'run' is defined and never called"},
		{"called, not returned", "function f(a) { return a }\nf(args);", "line 2: what 'f' returns is not returned; write: return await f(…)"},
		{"awaited, not returned", "async function f(a) { return a }\nawait f(args);", "write: return await f(…)"},
		{"only a function", "async (args) => { return 1 }", "line 1: the code is a function that is never called"},
		{"called at once", "(async () => { return 1 })()", "put return before it"},
		{"fetch", "const a = 1;\nconst r = await fetch('https://a.example');\nreturn r.status", "line 2: fetch needs the permission 'network'"},
		{"fs", "return fs.readFile('a')", "fs needs the permission 'filesystem'"},
		{"timers", "await new Promise((r) => setTimeout(r, 5)); return 1", "there is no 'setTimeout' here"},
		{"process", "return process.env.HOME", "there is no 'process' here"},
		{"module", "module.exports = async () => 1", "there is no 'module' here"},
		{"utils", "return utils.base64_encode('a')", "utils has no 'base64_encode'; write utils.base64Encode"},
		{"utils far", "return utils.zzz('a')", "utils has no 'zzz'"},
		{
			"several", "setTimeout(f);\nfunction f() {}\nreturn Buffer.from('a')",
			"line 1: there is no 'setTimeout' here: there are no timers; await what you wait for; line 3: there is no 'Buffer'",
		},
		{"import", "import x from 'y';\nreturn x", "t:1:1: there are no modules"},
		{"export", "const x = 1;\nexport default x", "t:2:1: there are no modules"},
		{"nameless", "function (args) {\n  return 1;\n}", "a function without a name is not allowed here"},
		{"open brace", "if (args.a) {\n  return 1;\n", "t:3: the '{' of line 1 is still open where the code ends; close it with '}'"},
		{
			"open parenthesis", "const a = [1, 2];\nreturn Math.max(\n  a[0], {b: 1};\n}",
			"the '(' of line 2 is still open where this '}' stands; close it with ')'",
		},
		{"open bracket", "return [1, 2", "the '[' of line 1 is still open where the code ends; close it with ']'"},
		{"open template", "return `a ${args.b`", "template"},
		{"closed twice", "const a = 1;\n}\nreturn a", "t:2: this '}' closes a bracket that was not opened"},
		{"in a string", "return 'a", "t:1: a string does not end on its line"},
	} {
		err := CheckBody("t", tt.code, false, false)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: CheckBody = %v, want %q", tt.name, err, tt.says)
		}
	}
}

// TestCheckBodyLetsPass: no valid code is refused.
func TestCheckBodyLetsPass(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"a body":              "return args.n",
		"nothing returned":    "console.log(1)",
		"a helper":            "function f(a) { return a }\nreturn f(args)",
		"a helper unused":     "function f(a) { return a }\nreturn 1",
		"a callback":          "const out = []; const f = (x) => { return x };\n[1].map(f); if (out) { return out }",
		"own names":           "const setTimeout = 1, fetch = () => 2, process = {env: 1}; return [setTimeout, fetch(), process.env]",
		"parameters":          "return ((module, {Buffer}, ...exports) => module + Buffer + exports)(1, {Buffer: 2})",
		"guarded":             "return typeof fetch === 'undefined' ? 'none' : fetch",
		"members and keys":    "const o = {process: 1, fetch: 2, window() { return 3 }}; return o.process + o.fetch + o.window()",
		"labels":              "module: for (;;) { break module }\nreturn 1",
		"classes":             "class A { process() { return 1 } static window = 2 }\nreturn new A().process()",
		"catch and loops":     "try { throw 1 } catch (process) { for (const window of [process]) return window }",
		"utils":               "return [utils.sum([1]), utils.callTool, utils?.avg, utils[args.x]]",
		"strings and comment": "// require('x') import setTimeout(\nreturn 'setTimeout(process)'",
	} {
		if err := CheckBody("t", code, false, false); err != nil {
			t.Errorf("%s: CheckBody = %v", name, err)
		}
	}
	if err := CheckBody("t", "fs.writeFile('a', await (await fetch('https://a.example')).text()); return 1", true, true); err != nil {
		t.Errorf("with permissions: %v", err)
	}
	if err := CheckBody("t", "return fs.readFileSync('a')", true, true); err == nil ||
		!strings.Contains(err.Error(), "fs has no 'readFileSync'; it has readFile") {
		t.Errorf("fs.readFileSync: %v", err)
	}
}

// TestHalfCharacter: a result that is cut within a character is refused with advice,
// and a complete one is accepted.
func TestHalfCharacter(t *testing.T) {
	t.Parallel()
	for code, fails := range map[string]bool{
		`return "\ud83d\ude00"`: false, `return "a\\ud800"`: false, `return "\\\\ud83d"`: false, `return "\u0041\n\t\\"`: false,
		`return "\ud83d"`: true, `return {a: ["😀".slice(1)]}`: true, `return "\\\ud800"`: true,
	} {
		_, err := Run(t.Context(), function(t, code))
		if (err != nil) != fails || fails && !strings.Contains(err.Error(), "half of a surrogate pair") {
			t.Errorf("%s: %v, want an error: %v", code, err, fails)
		}
	}
}

// TestAbsent: an operator's file gets the same findings for names that scripts do not
// have.
func TestAbsent(t *testing.T) {
	t.Parallel()
	p, err := Compile("t.js", "const fs2 = 1;\nfunction execute(params) {\n  setTimeout(() => {}, 1);\n  return process.env.HOME + "+
		"Buffer.from(params.a) + typeof window;\n}")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Absent(); len(got) != 2 || !strings.HasPrefix(got[0], "line 4: there is no 'process' here") ||
		!strings.HasPrefix(got[1], "line 4: there is no 'Buffer' here") {
		t.Errorf("Absent = %q", got)
	}
}
