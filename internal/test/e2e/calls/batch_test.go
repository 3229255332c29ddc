package calls

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestCancelledBatch: the result of a cancelled batch lists what its calls did, even if one
// of them ignores the cancellation; it never claims that nothing happened.
func TestCancelledBatch(t *testing.T) {
	t.Parallel()
	d, tenant := shared.HTTP(0), system.NewTenant()
	system.Enqueue(t, d, tenant, `{"call_id": "b", "tool": "batch_use_tool", "arguments": {"calls": [
		{"tool_name": "debug.effect", "arguments": {"key": "k"}}, {"tool_name": "debug.sleep", "arguments": {"ms": 60000}}]}}`)
	system.Eventually(t, "the effect is there", func() bool { return len(shared.Ledger(t, tenant)) == 1 })
	e := system.ByID(t, d, "calls.cancel", tenant, "b")
	if e.Status != "success" || !strings.Contains(string(e.Result), `{"written":true}`) ||
		!strings.Contains(string(e.Result), `"error_type":"cancelled"`) {
		t.Errorf("the batch ended as %v %s, want what became of each call", e, e.Result)
	}
}

// TestBatchStaysInItsPool: a batch cannot call a tool of another pool, the error explains
// that, and a custom tool of the same name is not called instead.
func TestBatchStaysInItsPool(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	d, tenant := s.HTTP(0), system.NewTenant()
	system.CreateTool(t, s, tenant, system.CustomTool{Name: "contract_far", Code: `return "custom"`})
	system.WantResult(t, system.UseTool(t, d, tenant, "contract_far", `{}`), `"custom"`)
	s.Config.Worker.Pools = []string{"far"}
	if _, err := s.AddWorker(); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "the other pool's tool is known", func() bool {
		return string(system.UseTool(t, d, tenant, "contract_far", `{}`).Result) == `"far away"`
	})
	system.Eventually(t, "a batch says where it runs", func() bool {
		b := system.ExecuteBatch(t, d, system.NewTenant(), "", `{"tool_name": "contract_far"}`)
		return b.Results[0].Error == "tool_not_available"
	})
	for i, r := range system.ExecuteBatch(t, d, tenant, "",
		`{"tool_name": "contract_far"}, {"tool_name": "use_tool", "arguments": {"tool_name": "contract_far", "arguments": {}}}`).Results {
		if r.Error != "tool_not_available" || !strings.Contains(r.Message, "pool 'far'") || !strings.Contains(r.Message, "by itself") {
			t.Errorf("item %d: %+v, want to be told to call it by itself", i, r)
		}
	}
	system.WantResult(t, system.One(t, d, tenant, `{"tool": "use_tool", "arguments": {"tool_name": "contract_far", "arguments": {}}}`),
		`"far away"`)
	// Such a tool cannot be created now either.
	e := system.One(t, d, system.NewTenant(), system.CustomTool{Name: "contract_far", Code: `return 1`}.CreateCall(t))
	system.WantError(t, e, "validation_error", "choose another")
}
