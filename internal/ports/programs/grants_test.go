//go:build linux

package programs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

func paths(entries ...string) tool.Scopes { return tool.Scopes{Paths: entries} }

func TestScopes(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, dir := openIn(t, space, programs.Options{}, paths("workspace"), paths("a", "workspace/b/**", "f.txt", "absent", "link"),
			paths("a/in", "b", "f.txt", "absent", "link"))
		for _, name := range []string{"a/in/x", "a/out", "b/c/x", "f.txt", "g.txt", "top"} {
			put(t, filepath.Join(dir, name), name)
		}
		for _, tt := range []struct{ script, want string }{
			{"cat a/in/x b/c/x f.txt", "a/in/xb/c/xf.txt"},
			{"echo new > b/new && cat b/new; echo f > f.txt", "new"},
			{"cat a/out 2>/dev/null || echo no", "no"},
			{"cat g.txt 2>/dev/null || echo no", "no"},
			{"ls 2>/dev/null || echo no", "no"},
			{"(echo x > y) 2>/dev/null || echo no", "no"},
			{"(echo x > absent) 2>/dev/null || echo no", "no"},
			{"mv b/c/x a/out 2>/dev/null || echo no", "no"},
			{"ln -s ../g.txt b/l; cat b/l 2>/dev/null || echo", ""},
			{"rm b/l; ln g.txt b/h 2>/dev/null || echo no", "no"},
		} {
			if got := says(t, port, tt.script); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.script, got, tt.want)
			}
		}
		if got := string(run(t, port, tool.Program{Name: "ls", Dir: "a/in"}).Stdout); got != "x\n" {
			t.Errorf("in a/in: %q", got)
		}
		_, err := port.Run(t.Context(), tool.Program{Name: "true", Dir: "c"})
		wantKind(t, err, tool.PathNotAllowed, "allowed")
		_, err = port.Run(t.Context(), tool.Program{Name: "true", Dir: "b/none"})
		wantKind(t, err, tool.FileNotFound, "b/none")
		if err := os.Symlink("g.txt", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		_, err = port.Run(t.Context(), sh("true"))
		wantKind(t, err, tool.PathNotAllowed, "link")
	})
}

func TestScopesThatCannotBeHeld(t *testing.T) {
	p := programs.New(options(t, programs.Options{}, t.TempDir()))
	for _, within := range [][]tool.Scopes{
		{paths("*.txt")}, {paths("a/*")}, {paths("**/x")}, {paths("a", "b/*/c")}, {paths("../x")}, {paths("/etc")}, {paths("a"), paths("b")},
		{paths("")},
	} {
		_, err := p.For("t", "u", within...)
		wantKind(t, err, tool.PathNotAllowed, "scope")
	}
	port, err := p.For("t", "u", tool.Scopes{Hosts: []string{"example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = port.Run(t.Context(), tool.Program{Name: "true", Network: true})
	wantKind(t, err, tool.PermissionDenied, "hosts")
	if ran := run(t, port, sh("exit 0")); ran.Code != 0 {
		t.Errorf("without network: %+v", ran)
	}
}
