package toolbox

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// set returns a set of tools of a pool.
func set(pool string, names ...string) *tool.Set {
	s := tool.NewSet("Test", "test")
	for _, name := range names {
		tool.Add(s, tool.Spec[struct{}, bool]{
			Name: name, Description: "Does it.", Risk: tool.Low, Mutates: false, Timeout: time.Second, Pool: pool,
			Run: func(context.Context, *tool.Call, struct{}) (bool, error) { return true, nil },
		})
	}
	return s
}

// of returns one tool of a kind.
func of(kind, name string) *tool.Tool {
	t := *set("default", name).Tools()[0]
	t.Kind = kind
	return &t
}

func names(t *Toolbox) (all []string) {
	for _, def := range t.Definitions() {
		all = append(all, def.Kind+" "+def.Name)
	}
	return all
}

// TestSourcesOfASnapshot: each source is replaced by itself, a file may replace a built-in
// tool, and an MCP server none.
func TestSourcesOfASnapshot(t *testing.T) {
	t.Parallel()
	box, err := New(Options{Sets: []*tool.Set{set("default", "calc", "look"), set("gpu", "draw")}, Pools: []string{"default"}})
	if err != nil {
		t.Fatal(err)
	}
	<-box.Changed()
	for _, step := range []struct {
		name    string
		do      func() (map[string]error, error)
		refused []string
		want    []string
	}{
		{"built-in", func() (map[string]error, error) { return nil, nil }, nil, []string{"builtin calc", "builtin look"}},
		{"files", func() (map[string]error, error) {
			return box.Replace([]*tool.Tool{of(tool.KindJS, "look"), of(tool.KindJS, "own")})
		},
			nil, []string{"builtin calc", "js look", "js own"}},
		{"servers", func() (map[string]error, error) {
			return box.Serve(MCP, []*tool.Tool{of(tool.KindMCP, "git_log"), of(tool.KindMCP, "own"), of(tool.KindMCP, "git.log")})
		}, []string{"git.log", "own"}, []string{"builtin calc", "mcp git_log", "js look", "js own"}},
		{
			"no files", func() (map[string]error, error) { return box.Replace(nil) }, []string{"git.log"},
			[]string{"builtin calc", "mcp git_log", "builtin look", "mcp own"},
		},
	} {
		refused, err := step.do()
		var got []string
		for name := range refused {
			got = append(got, name)
		}
		slices.Sort(got)
		if all := names(box); err != nil || !slices.Equal(got, step.refused) || !slices.Equal(all, step.want) {
			t.Errorf("%s: %q, refused %q, %v; want %q, refused %q", step.name, all, got, err, step.want, step.refused)
		}
	}
	select {
	case <-box.Changed():
	default:
		t.Error("a change is not announced")
	}
	if !box.Taken("git_log") || !box.Taken("git.log") || box.Taken("draw") || !box.Builtin("calc") || box.Builtin("own") {
		t.Error("names are taken by the tools of the snapshot, as model providers see them")
	}
}

// TestLookupElsewhere: a tool of other workers of the pool is lacking here, a tool of
// another pool is not available, and other names are not found.
func TestLookupElsewhere(t *testing.T) {
	t.Parallel()
	all := catalog.NewTenants(catalog.New())
	box, err := New(Options{Sets: []*tool.Set{set("default", "calc")}, Pools: []string{"default"}, All: all})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*tool.Set{set("default", "calc", "look"), set("gpu", "draw")} {
		for _, tl := range s.Tools() {
			if err := all.Shared.Put(tl.Definition); err != nil {
				t.Fatal(err)
			}
		}
	}
	if e, err := box.Lookup("acme", "ann", "calc"); err != nil || e.Tool.Name != "calc" {
		t.Errorf("calc = %v, %v", e, err)
	}
	if _, err := box.Lookup("acme", "ann", "look"); !errors.Is(err, engine.ErrLacking) {
		t.Errorf("look = %v, want it lacking", err)
	}
	for name, want := range map[string]tool.Kind{"draw": tool.ToolNotAvailable, "none": tool.ToolNotFound} {
		if _, err := box.Lookup("acme", "ann", name); !isKind(err, want) {
			t.Errorf("%s = %v, want %s", name, err, want)
		}
	}
	box.Attach(Attached{Refuses: func(name string) *tool.Error { return tool.Fail(tool.NotConfigured, "%s waits", name) }})
	if _, err := box.Lookup("acme", "ann", "none"); !isKind(err, tool.NotConfigured) {
		t.Errorf("a withheld tool = %v", err)
	}
}

func isKind(err error, kind tool.Kind) bool {
	e, ok := errors.AsType[*tool.Error](err)
	return ok && e.Kind == kind
}
