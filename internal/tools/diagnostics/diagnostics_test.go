package diagnostics

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// run makes a call outside a table of cases, for tests that control the context or
// expect the tool not to return.
func run(ctx context.Context, t *testing.T, name, args string, call *tool.Call) (tool.Result, error) {
	t.Helper()
	for _, tl := range Set.Tools() {
		if tl.Name != name {
			continue
		}
		inv, err := tl.Bind(json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		return inv.Run(ctx, call)
	}
	t.Fatalf("the set has no tool %s", name)
	return tool.Result{}, nil
}
