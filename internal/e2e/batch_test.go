package e2e

import (
	"strings"
	"testing"
)

// TestCancelledBatch: a batch that is stopped says what its calls did, also if one of
// them does not heed that; it never says that nothing happened.
func TestCancelledBatch(t *testing.T) {
	t.Parallel()
	d, tenant := shared.http(0), newTenant()
	queue(t, d, tenant, `{"call_id": "b", "tool": "batch_use_tool", "arguments": {"calls": [
		{"tool_name": "debug.effect", "arguments": {"key": "k"}}, {"tool_name": "debug.sleep", "arguments": {"ms": 60000}}]}}`)
	eventually(t, "the effect is there", func() bool { return len(shared.ledger(t, tenant)) == 1 })
	e := byID(t, d, "calls.cancel", tenant, "b")
	if e.Status != "success" || !strings.Contains(string(e.Result), `{"written":true}`) || !strings.Contains(string(e.Result), `"error_type":"cancelled"`) {
		t.Errorf("the batch ended as %v %s, want what became of each call", e, e.Result)
	}
}

// TestBatchStaysInItsPool: a tool of another pool cannot be called from a batch, which
// is said, and a custom tool of its name is not taken for it.
func TestBatchStaysInItsPool(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{})
	d, tenant := s.http(0), newTenant()
	create(t, s, tenant, custom{Name: "contract_far", Code: `return "custom"`})
	wantResult(t, use(t, d, tenant, "contract_far", `{}`), `"custom"`)
	s.cfg.Worker.Pools = []string{"far"}
	if _, err := s.addWorker(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other pool's tool is known", func() bool { return string(use(t, d, tenant, "contract_far", `{}`).Result) == `"far away"` })
	eventually(t, "a batch says where it runs", func() bool {
		b := batchOf(t, d, newTenant(), "", `{"tool_name": "contract_far"}`)
		return b.Results[0].Error == "tool_not_available"
	})
	for i, r := range batchOf(t, d, tenant, "", `{"tool_name": "contract_far"}, {"tool_name": "use_tool", "arguments": {"tool_name": "contract_far", "arguments": {}}}`).Results {
		if r.Error != "tool_not_available" || !strings.Contains(r.Message, "pool 'far'") || !strings.Contains(r.Message, "by itself") {
			t.Errorf("item %d: %+v, want to be told to call it by itself", i, r)
		}
	}
	wantResult(t, one(t, d, tenant, `{"tool": "use_tool", "arguments": {"tool_name": "contract_far", "arguments": {}}}`), `"far away"`)
	// Nor can one be made now.
	e := one(t, d, newTenant(), custom{Name: "contract_far", Code: `return 1`}.call(t))
	wantError(t, e, "validation_error", "choose another")
}
