package js

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// hostFunc is a host that is one function.
type hostFunc func(op Op, args string) (string, error)

func (f hostFunc) Do(_ context.Context, op Op, args json.RawMessage) (json.RawMessage, error) {
	answer, err := f(op, string(args))
	return json.RawMessage(answer), err
}

// helpers returns a runtime that has utils.
func helpers(t *testing.T, host Host) *realm {
	t.Helper()
	r := newRealm(t.Context(), &Task{Program: &Program{}, Host: host})
	if err := r.vm.Set("utils", r.utils()); err != nil {
		t.Fatal(err)
	}
	return r
}

// evaluate returns the value of an expression in a runtime of its own, as JSON, or
// "Name: message" of the Error that it throws.
func evaluate(t *testing.T, host Host, expression string) string {
	t.Helper()
	return helpers(t, host).yields(t, expression)
}

func (r *realm) yields(t *testing.T, expression string) string {
	t.Helper()
	v, err := r.vm.RunString(`(() => {
		try { const v = (` + expression + `); return typeof v === "object" ? JSON.stringify(v) : v === "" ? '""' : String(v); }
		catch (e) { return e instanceof Error ? e.name + ": " + e.message : "thrown: " + String(e); }
	})()`)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v.String()
}

// cases maps expressions to their values; for an Error, to the beginning of the text.
type cases [][2]string

func (c cases) run(t *testing.T, host Host) {
	t.Helper()
	for _, tt := range c {
		got := evaluate(t, host, tt[0])
		isError := strings.HasPrefix(tt[1], "TypeError: ") || strings.HasPrefix(tt[1], "SyntaxError: ")
		if got != tt[1] && (!isError || !strings.HasPrefix(got, tt[1])) {
			t.Errorf("%s = %s, want %s", tt[0], got, tt[1])
		}
	}
}

const noText = "must be a string, but it is "

// documented returns the helpers of the table in the documents.
const documented = `getApiKey getServiceConfig getConfigEntry getConfigEntries getFieldValue callTool listTools hash uuid
	base64Encode base64Decode urlEncode urlDecode hexEncode hexDecode now timestamp dateDiff dateAdd formatDate
	slugify camelCase snakeCase kebabCase titleCase truncate countWords removeDiacritics isEmail isUrl isJson isUuid
	clamp round randomInt sum avg parseJson toJson parseCsv flatten getPath unique chunk shuffle sample groupBy generatePassword`

func TestUtilsAreAllThere(t *testing.T) {
	t.Parallel()
	names := strings.Fields(documented)
	for _, name := range names {
		cases{
			{"typeof utils." + name, "function"},
			{"utils." + name + ".name", name},
			{"utils." + name + " === utils." + name, "true"},
		}.run(t, nil)
	}
	if got := helperNames(); len(got) != len(names) {
		t.Errorf("there are %d helpers, %d are documented: %v", len(got), len(names), got)
	}
	cases{
		{"Object.keys(utils).length", fmt.Sprint(len(names))},
		{"'hash' in utils && !('random' in utils) && utils.random === undefined && utils.send === undefined", "true"},
		{"(() => { 'use strict'; utils.hash = 1 })()", "TypeError: "},
		{"(() => { 'use strict'; delete utils.hash })()", "TypeError: "},
		{"utils.toString()", "[object Object]"},
		{"[utils.chunk([1, 2], 1), utils.hexEncode('a'), utils.sum([1, utils.avg([2])])]", `[[[1],[2]],"61",3]`},
	}.run(t, nil)
}

// odd lists values that a script may pass by mistake or on purpose.
var odd = []string{
	"undefined", "null", "NaN", "Infinity", "-1", "1e9", "1e308", "-0", "0.5", "10n", "''", "'\\ud800'", "'é\\u0301 カナ 😀'", "'%'", "'a.b[0]'",
	"'x'.repeat(1e5)", "true", "Symbol('s')", "{}", "[]", "[undefined, null, NaN]", "new Array(4e9)", "{length: 1e9}",
	"() => { throw new Error('thrown') }", "new Date(NaN)",
	"new Proxy({}, {get() { throw new Error('trap') }, ownKeys() { throw new Error('trap') }})", "Object.create(null)",
	"{toString() { throw new Error('toString') }, valueOf() { throw new Error('valueOf') }}", "new Uint8Array(3)", "new ArrayBuffer(2)",
	"'__proto__'", "['__proto__', 'constructor']", "(() => { const a = []; a.push(a); return a })()",
	"(() => { const o = {}; o.o = o; return o })()",
}

// Every helper answers or throws an Error, whatever it gets, and leaves the
// runtime as it was.
func TestUtilsBearOddInput(t *testing.T) {
	t.Parallel()
	host := hostFunc(func(Op, string) (string, error) { return "", tool.Fail(tool.PermissionDenied, "no") })
	for name := range strings.FieldsSeq(documented) {
		if name == "callTool" {
			continue // its promise needs Run
		}
		r := helpers(t, host)
		for i, a := range odd {
			if name == "toJson" && strings.HasPrefix(a, "new Array") {
				continue // JSON.stringify by itself would take as long
			}
			for _, args := range []string{a, "'text', " + a, "[1, 2], " + a, "'2026-01-31', 1, " + a, a + ", " + odd[(i+1)%len(odd)]} {
				if got := r.yields(t, "void utils."+name+"("+args+")"); strings.HasPrefix(got, "thrown: ") {
					t.Errorf("%s(%s) throws no Error: %s", name, args, got)
				}
			}
		}
		if got := r.yields(t, "[{}.polluted, {}.label, Object.prototype.x, [].column1]"); got != "[null,null,null,null]" {
			t.Errorf("%s left %s", name, got)
		}
	}
}

func TestUtilsBoundTexts(t *testing.T) {
	t.Parallel()
	for name := range strings.FieldsSeq("hash base64Encode base64Decode urlEncode urlDecode hexEncode hexDecode slugify camelCase snakeCase " +
		"kebabCase titleCase truncate countWords removeDiacritics parseCsv") {
		cases{
			{
				"utils." + name + "('x'.repeat(8192).repeat(1024) + 'x', 1)",
				"TypeError: utils." + name + ": text has 8388609 characters, at most 8388608 are allowed",
			},
			{"utils." + name + "()", "TypeError: utils." + name + ": text " + noText + "undefined"},
			{"utils." + name + "(null)", "TypeError: utils." + name + ": text " + noText + "null"},
		}.run(t, nil)
	}
	cases{{"utils.hash(new Uint8Array(8388609))", "TypeError: utils.hash: text has 8388609 bytes"}}.run(t, nil)
}
