package worker

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

func TestPoolOfModule(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]string{
		"example.com/own-worker":                 "own-worker",
		"example.com/tools/v3":                   "tools",
		"words":                                  "words",
		"example.com/a.b c":                      "a-b-c",
		"example.com/...":                        toolbox.DefaultPool,
		"":                                       toolbox.DefaultPool,
		"github.com/helve-dev/helve":             toolbox.DefaultPool,
		"example.com/" + strings.Repeat("x", 99): strings.Repeat("x", 64),
	} {
		if got := moduleOf(module); got != want {
			t.Errorf("moduleOf(%q) = %q, want %q", module, got, want)
		}
	}
}

func poolTool(set *tool.Set, name, pool string) {
	tool.Add(set, tool.Spec[struct{}, string]{
		Name: name, Description: "Does it.", Risk: tool.Low, Timeout: time.Second, Pool: pool,
		Run: func(context.Context, *tool.Call, struct{}) (string, error) { return "", nil },
	})
}

// TestPoolsOfProgram: a program that is told no pools takes calls of those its tools
// name and of its own, and its tools are in one of these pools.
func TestPoolsOfProgram(t *testing.T) {
	t.Parallel()
	unnamed, named := tool.NewSet("A", "a"), tool.NewSet("B", "b")
	poolTool(unnamed, "one", "")
	poolTool(named, "two", "words")
	poolTool(named, "three", toolbox.DefaultPool)
	later := func(context.Context, *Providers) error { return nil }
	for _, tt := range []struct {
		name    string
		program Program
		own     string
		pools   []string
	}{
		{"tools that name none", Program{Sets: []*tool.Set{unnamed}}, "mine", []string{"mine"}},
		{"tools that name some", Program{Sets: []*tool.Set{named}}, "mine", []string{"default", "words"}},
		{"both", Program{Sets: []*tool.Set{unnamed, named}}, "mine", []string{"default", "mine", "words"}},
		{"tools that come later", Program{Sets: []*tool.Set{named}, Started: later}, "mine", []string{"default", "mine", "words"}},
		{"Helve's own worker", Program{Sets: []*tool.Set{unnamed, named}}, toolbox.DefaultPool, []string{"default"}},
	} {
		if got := tt.program.pools(tt.own); !slices.Equal(got, tt.pools) {
			t.Errorf("%s: pools %q, want %q", tt.name, got, tt.pools)
		}
	}
	for _, tt := range []struct {
		own, home string
		pools     []string
	}{
		{"mine", "mine", []string{"mine", "words"}},
		{"mine", "default", []string{"default", "words"}}, // --pools says so
		{"mine", "words", []string{"words"}},
		{toolbox.DefaultPool, toolbox.DefaultPool, []string{"desktop"}},
	} {
		if got := homeOf(tt.own, tt.pools); got != tt.home {
			t.Errorf("homeOf(%s, %q) = %s, want %s", tt.own, tt.pools, got, tt.home)
		}
	}
	moved := unnamed.In("mine").Tools()[0]
	if moved.Pool != "mine" || unnamed.Tools()[0].Pool != toolbox.DefaultPool || named.In("mine").Tools()[1].Pool != "words" {
		t.Errorf("In moved a tool that names its pool, or the original: %s, %s", moved.Pool, unnamed.Tools()[0].Pool)
	}
}
