package typings

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

// host answers what a script needs to have one object of each class.
type host struct{}

func (host) Do(_ context.Context, op js.Op, _ json.RawMessage) (json.RawMessage, error) {
	switch op {
	case js.OpFetch:
		return json.Marshal(js.FetchResponse{URL: "http://a.example/", Status: 200, StatusText: "OK"})
	case js.OpLib:
		return json.RawMessage(`"exports.one = 1"`), nil
	}
	return nil, tool.Fail(tool.Unsupported, "%s was not expected", op)
}

// run runs the body of a function with all that can be granted: as an operator's
// tool, or as a dynamic one. It returns what the body returned.
func run[T any](t *testing.T, dynamic bool, body string) (value T) {
	t.Helper()
	source := "async function execute(params) {\n" + body + "\n}"
	compile, task := js.Compile, js.Task{Function: "execute"}
	if dynamic {
		source, compile, task.Function = body, js.CompileBody, ""
	}
	var err error
	if task.Program, err = compile("t.js", source); err != nil {
		t.Fatal(err)
	}
	task.Args, task.Network, task.Files, task.Host = []byte("{}"), true, true, host{}
	task.Lib = func(string) (*js.Program, error) { return js.CompileLib("lib/one.js", "exports.one = 1") }
	raw, err := js.Run(t.Context(), &task)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return value
}

// samples has an object of each class.
const samples = `
const samples = {
  Headers: new Headers(), URL: new URL("http://a.example/"), URLSearchParams: new URLSearchParams(),
  TextEncoder: new TextEncoder(), TextDecoder: new TextDecoder(), Response: await fetch("http://a.example/"),
  HelveError: Object.assign(new Error("x"), { error_type: "timeout" }), HelveParams: { _env: {} },
  FetchOptions: null, ServiceEntry: null, ToolInfo: null,
};
`

// expression leads a script to what is declared.
func expression(path string) string {
	class, member, ofObject := strings.Cut(path, "#")
	switch {
	case !ofObject:
		return path
	case strings.HasPrefix(member, "["):
		return "samples." + class + member
	}
	return "samples." + class + "." + member
}

// shapes are interfaces of plain values, which no script finds by a name.
var shapes = []string{"HelveError", "HelveParams", "FetchOptions", "ServiceEntry", "ToolInfo"}

func isShape(path string) bool {
	class, _, ok := strings.Cut(path, "#")
	return ok && slices.Contains(shapes, class)
}

// TestDeclaredIsThere: each name has the declared kind, in the declared tools and in no
// others.
func TestDeclaredIsThere(t *testing.T) {
	t.Parallel()
	for _, dynamic := range []bool{false, true} {
		var body strings.Builder
		body.WriteString(samples + "const found = {};\n")
		want := map[string]string{}
		for _, n := range declared(t, Declarations()) {
			if isShape(n.path) {
				continue
			}
			want[n.path] = n.kind
			if n.section != "both" && (n.section == "dynamic") != dynamic {
				if want[n.path] = "undefined"; strings.ContainsAny(n.path, ".#") {
					delete(want, n.path)
					continue // of something that is not there
				}
			}
			fmt.Fprintf(&body, "found[%q] = typeof %s;\n", n.path, expression(n.path))
		}
		got := run[map[string]string](t, dynamic, body.String()+"return found;")
		for path, kind := range want {
			if got[path] != kind {
				t.Errorf("dynamic %v: typeof %s is %s, declared is %s", dynamic, path, got[path], kind)
			}
		}
		if len(want) < 80 {
			t.Errorf("dynamic %v: only %d names were compared", dynamic, len(want))
		}
	}
}
