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
		{"tool_name": "debug.effect", "arguments": {"key": "k"}}, {"tool_name": "contract_deaf", "arguments": {"ms": 600}}]}}`)
	eventually(t, "the effect is there", func() bool { return len(shared.ledger(t, tenant)) == 1 })
	e := byID(t, d, "calls.cancel", tenant, "b")
	if e.Status != "success" || !strings.Contains(string(e.Result), `{"written":true}`) || !strings.Contains(string(e.Result), `"error_type":"cancelled"`) {
		t.Errorf("the batch ended as %v %s, want what became of each call", e, e.Result)
	}
}
