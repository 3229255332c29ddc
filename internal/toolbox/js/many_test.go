package js

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyPlainLines: a long file of short statements nests in nothing.
func TestManyPlainLines(t *testing.T) {
	var lets, functions, calls strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lets, "let v%d = p.a%d\n", i, i)
		fmt.Fprintf(&functions, "function f%d() {}\n", i)
		fmt.Fprintf(&calls, "f(%d)\nx.y = [%d]\n", i, i)
	}
	for name, source := range map[string]string{
		"let":       "function execute(p) {\n" + lets.String() + "return 1 }",
		"functions": functions.String() + "function execute() { return 1 }",
		"calls":     "function execute(f, x) {\n" + calls.String() + "}",
	} {
		if _, err := Compile("t.js", source); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHugeNumber: what the engine cannot hold is said in words of ours.
func TestHugeNumber(t *testing.T) {
	task := script(t, `function execute(p) { return p.f }`)
	task.Args = []byte(`{"f":1e400}`)
	fails(t, task, "validation_error", "too large")
}

// TestOddKeysOfRecords: keys that vanish or are no text break nothing.
func TestOddKeysOfRecords(t *testing.T) {
	for _, e := range []string{
		`new Headers({"\ud800": "x"})`, `new URLSearchParams({"\ud800": "x"})`,
		`new URLSearchParams({get a() { delete this.b; return 1 }, b: 2})`, `new Headers({get a() { delete this.b; return "1" }, b: "2"})`,
	} {
		returns(t, script(t, `function execute() { try { `+e+` } catch (e) {} return 1 }`), `1`)
	}
}
