package typings

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// bridges returns the globals that package js creates: the cases of its two switches.
// No script can list them.
func bridges(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../globals.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "bridge" && f.Name.Name != "operators" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CaseClause)
			if !ok {
				return true
			}
			for _, e := range c.List {
				if lit, ok := e.(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(lit.Value) // it was parsed
					names = append(names, name)
				}
			}
			return true
		})
	}
	if len(names) < 10 {
		t.Fatalf("only %v were found in globals.go: this test no longer recognises how bridges are written", names)
	}
	return names
}

// paths returns all declared paths.
func paths(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, n := range declared(t, Declarations()) {
		all = append(all, n.path)
	}
	return all
}

func TestBridgesAreDeclared(t *testing.T) {
	t.Parallel()
	all := paths(t)
	for _, name := range append(bridges(t), "args", "context", "utils") {
		if !slices.Contains(all, name) {
			t.Errorf("%s is a global, but helve.d.ts does not declare it", name)
		}
	}
}

// TestMembersAreDeclared: what objects list of themselves is declared.
func TestMembersAreDeclared(t *testing.T) {
	t.Parallel()
	all := paths(t)
	for _, dynamic := range []bool{false, true} {
		body := samples + `
		  const found = [];
		  const list = (path, object, mark) => found.push(...Object.keys(object).map((name) => path + mark + name));
		  for (const name of ["Headers", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "Response"]) list(name, samples[name], "#");
		  list("console", console, "."); list("fs", fs, "."); list("crypto", crypto, "."); list("crypto.subtle", crypto.subtle, ".");
		  for (const name of ["Headers", "URL", "URLSearchParams", "TextEncoder", "TextDecoder"]) list(name, samples[name].constructor, ".");
		  if (typeof utils === "object") { list("utils", utils, "."); list("context", context, ".") }
		  return found;`
		found := run[[]string](t, dynamic, body)
		for _, path := range found {
			if !slices.Contains(all, path) {
				t.Errorf("%s is there, but helve.d.ts does not declare it", path)
			}
		}
		if dynamic && len(found) < 80 {
			t.Errorf("only %d members were listed", len(found))
		}
	}
}

// web lists members that these classes have on the web. They are on prototypes that
// list nothing, so the test reads each one.
var web = strings.Fields(`append arrayBuffer blob body bodyUsed bytes canParse clone createObjectURL decode delete encode encodeInto
	encoding entries error fatal forEach formData get getAll getSetCookie has hash headers host hostname href ignoreBOM json keys ok
	origin parse password pathname port protocol redirect redirected search searchParams set size sort status statusText stream
	text textStream toJSON toString type url username values`)

// globals lists names that scripts know from elsewhere.
var globals = strings.Fields(`AbortController Atomics Blob Buffer DOMException Event FileReader FormData Intl Iterator ReadableStream
	Request Response SharedArrayBuffer WeakRef WebAssembly WebSocket XMLHttpRequest __dirname __filename alert clearInterval
	document exports fs global localStorage module navigator performance process queueMicrotask require self
	setImmediate setInterval structuredClone window`)

// TestUsualNames: of what scripts know from elsewhere, all that is there is
// declared.
func TestUsualNames(t *testing.T) {
	t.Parallel()
	all := paths(t)
	var body strings.Builder
	body.WriteString(samples + "const found = [];\n")
	for _, class := range []string{"Headers", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "Response"} {
		for _, member := range web {
			// Object.prototype has a toString.
			fmt.Fprintf(&body, "if (%[1]q in samples.%[2]s && samples.%[2]s[%[1]q] !== Object.prototype[%[1]q]) found.push('%[2]s#%[1]s');\n",
				member, class)
		}
	}
	for _, global := range globals {
		fmt.Fprintf(&body, "if (typeof %[1]s !== 'undefined') found.push('%[1]s');\n", global)
	}
	found := run[[]string](t, false, body.String()+"return found;")
	for _, path := range found {
		if !slices.Contains(all, path) {
			t.Errorf("%s is there, but helve.d.ts does not declare it", path)
		}
	}
	if len(found) < 30 {
		t.Errorf("only %v were found", found)
	}
}
