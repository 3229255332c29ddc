package library

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

// TestEnvWarnings: a declared value that is not set, and a set value that is not
// declared, are warnings, and the tool loads.
func TestEnvWarnings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.json": `{"name": "a", "description": "x", "env": ["KEY", "REGION"]}`, "a.js": "function execute() {}",
		"b.json": `[{"name": "b", "description": "x", "function": "f", "env": ["KEY"]}]`, "b.js": "function f() {}",
	})
	l := open(t, Options{Dirs: []string{dir}, Env: map[string]map[string]string{"a": {"KEY": "k", "OTHER": "o"}}})
	wantProblems(t, l,
		"a.json: warning: env REGION has no value; set it with --tool-env a.REGION=VALUE",
		"a.json: warning: a value of OTHER is set, but env does not declare it",
		"b.json[0]: warning: env KEY has no value")
	if len(l.Tools()) != 2 {
		t.Errorf("%d tools, want both", len(l.Tools()))
	}
	if got := declared([]string{"KEY", "REGION"}, map[string]string{"KEY": "k", "OTHER": "o"}); len(got) != 1 || got["KEY"] != "k" {
		t.Errorf("declared = %v, want KEY only", got)
	}
}

// TestEnvOfAFile: a value for all tools of a group is set once.
func TestEnvOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const entry = `{"name": %q, "description": "x", "function": "f", "env": ["KEY", "REGION"]}`
	write(t, dir, map[string]string{
		"drive.json": "[" + fmt.Sprintf(entry, "one") + "," + fmt.Sprintf(entry, "two") + "]",
		"drive.js":   "function f(params) { return params._env.KEY + params._env.REGION }",
	})
	l := open(t, Options{Dirs: []string{dir}, Env: map[string]map[string]string{"drive": {"KEY": "k", "REGION": "eu"}, "two": {"KEY": "own"}}})
	wantProblems(t, l)
	for i, want := range []string{`"keu"`, `"owneu"`} {
		inv, err := l.Tools()[i].Tool.Bind([]byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if res, err := inv.Run(t.Context(), &tool.Call{}); err != nil || string(res.Value) != want {
			t.Errorf("tool %d answers %s, %v, want %s", i, res.Value, err, want)
		}
	}
}

// TestLibSource: a script that runs elsewhere can get the library, too.
func TestLibSource(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	write(t, first, map[string]string{"lib/a.js": "exports.a = 1"})
	write(t, second, map[string]string{"lib/a.js": "exports.a = 2", "lib/b.js": "exports.b = 2"})
	l := open(t, Options{Dirs: []string{first, second}})
	for name, want := range map[string]string{"a": "exports.a = 1", "b": "exports.b = 2"} {
		if got, err := l.Lib(name); got != want || err != nil {
			t.Errorf("Lib(%s) = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := l.Lib("nobody"); err == nil || tool.AsError(err).Kind != tool.ExecutionError {
		t.Errorf("Lib(nobody) = %v, want an error", err)
	}
}

// TestRunningCallKeepsItsVersion: a call that waits in the middle of the old script
// continues with it after the reload.
func TestRunningCallKeepsItsVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const manifest = `{"name": "a", "description": "x"}`
	write(t, dir, map[string]string{"a.json": manifest, "a.js": "const v = 'old'; function execute() { console.log('here'); return v }"})
	var once sync.Once
	here, goOn := make(chan struct{}), make(chan struct{})
	l := open(t, Options{Dirs: []string{dir}, Console: func(*tool.Call, js.LogLine) {
		once.Do(func() {
			close(here)
			<-goOn
		})
	}})
	result := make(chan string, 1)
	go func() {
		got, err := call(t, l, "a", "{}")
		result <- fmt.Sprint(got, err)
	}()
	select {
	case <-here:
	case got := <-result:
		t.Fatalf("the call ended with %s before it printed", got)
	}
	write(t, dir, map[string]string{"a.js": "function execute() { return 'new' }"})
	l.Reload()
	wantCalls(t, l, "reloaded", map[string]string{"a": "new"})
	close(goOn)
	if got := <-result; got != `"old"<nil>` {
		t.Errorf("the call that ran = %s, want old", got)
	}
}

// TestConsole: lines carry the call they belong to.
func TestConsole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.json": `{"name": "a", "description": "x"}`, "a.js": "function execute(p) { console.warn('hot', p.n) }"})
	var mu sync.Mutex
	var lines []string
	l := open(t, Options{Dirs: []string{dir}, Console: func(c *tool.Call, line js.LogLine) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, c.Tool+" "+line.Level+" "+line.Message)
	}})
	if got, err := call(t, l, "a", `{"n": 5}`); got != `""` || err != nil {
		t.Errorf("a = %s, %v, want an empty string for undefined", got, err)
	}
	if !slices.Equal(lines, []string{"a warn hot 5"}) {
		t.Errorf("lines are %q", lines)
	}
}

// TestSharedLibraries: a tool sees the libraries of its directory, a change of one
// applies to the next call, and an invalid change does not.
func TestSharedLibraries(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	use := map[string]string{"a.js": "function execute() { return lib('greet').hello('you') }", "a.json": `{"name": "a", "description": "x"}`}
	write(t, dir, use)
	write(t, dir, map[string]string{"lib/greet.js": "exports.hello = (who) => 'hello ' + who"})
	write(t, other, map[string]string{"b.js": use["a.js"], "b.json": `{"name": "b", "description": "x"}`})
	l := open(t, Options{Dirs: []string{dir, other}})
	wantCalls(t, l, "first", map[string]string{"a": "hello you"})
	if got, err := call(t, l, "b", "{}"); err == nil || !strings.Contains(err.Error(), `no shared library "greet"`) {
		t.Errorf("b = %s, %v, want no library of another directory", got, err)
	}
	write(t, dir, map[string]string{"lib/greet.js": "exports.hello = (who) => 'good day ' + who"})
	l.Reload()
	wantCalls(t, l, "changed", map[string]string{"a": "good day you"})
	write(t, dir, map[string]string{"lib/greet.js": "exports.hello = ("})
	l.Reload()
	wantCalls(t, l, "broken", map[string]string{"a": "good day you"})
	wantProblems(t, l, "lib/greet.js: ")
}

// TestRunErrors: an error that a script throws is the tool's error, with the script's
// own position.
func TestRunErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.json": `{"name": "a", "description": "x"}`,
		"a.js":   "function execute(p) {\n  if (p.loop) for (;;) ;\n  throw new Error('no such city')\n}",
	})
	l := open(t, Options{Dirs: []string{dir}})
	_, err := call(t, l, "a", "{}")
	if e := tool.AsError(err); e.Kind != tool.ExecutionError || !strings.Contains(e.Msg, "no such city") ||
		!strings.Contains(e.Msg, "a.js:3:") {
		t.Errorf("a = %v, want the message and the place", err)
	}
	inv, err := l.Tools()[0].Tool.Bind(json.RawMessage(`{"loop": true}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	if _, err := inv.Run(ctx, &tool.Call{Tool: "a"}); tool.AsError(err).Kind != tool.Timeout {
		t.Errorf("a loop = %v, want a timeout", err)
	}
}
