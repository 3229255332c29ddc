package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestTokenOfABatchsCalls: what a person approved is approved in a batch too; the batch
// itself needs nobody.
func TestTokenOfABatchsCalls(t *testing.T) {
	t.Parallel()
	tenant, d, trace := newTenant(), shared.http(0), strings.Repeat("b", 32)
	tok := mint(t, d, tenant, trace, `"tools": ["debug.guarded"]`)
	const batch = `{"context": {"user": "u1"}, "trace_id": %q, "calls": [{"tool": "batch_use_tool", "confirm_token": %q, "arguments": {"calls": [
		{"tool_name": "debug.guarded", "arguments": {"key": "k"}}, {"tool_name": "calculate", "arguments": {"expression": "6*7"}}]}}]}`
	e := one(t, d, tenant, fmt.Sprintf(`{"tool": "calculate", "confirm_token": %q, "arguments": {"expression": "1"}}`, tok))
	wantError(t, e, "permission_denied", "another")
	got := execute(t, d, tenant, fmt.Sprintf(batch, trace, tok)).Results[0]
	if got.Status != "success" || !strings.Contains(string(got.Result), `"succeeded":2`) {
		t.Errorf("the batch ended as %s %s %s, want both done", got.Status, got.Message, got.Result)
	}
	again := execute(t, d, tenant, fmt.Sprintf(batch, trace, tok)).Results[0]
	if !strings.Contains(string(again.Result), `"succeeded":1`) || !strings.Contains(string(again.Result), "confirmation_required") {
		t.Errorf("the token was used, and another batch ended as %s", again.Result)
	}
	slow := one(t, d, tenant, `{"tool": "batch_use_tool", "timeout_ms": 200, "arguments": {"calls": [{"tool_name": "debug.sleep", "arguments": {"ms": 60000}}]}}`)
	if !strings.Contains(string(slow.Result)+slow.Message, "timed out after 0.2s") {
		t.Errorf("a batch of 200 ms ended as %s %s", slow.Result, slow.Message)
	}
}

// TestUseToolSaysWhatItIgnored: of its own parameters and of the tool's.
func TestUseToolSaysWhatItIgnored(t *testing.T) {
	t.Parallel()
	e := one(t, shared.http(0), newTenant(), `{"tool": "use_tool", "arguments": {"tool_name": "calculate", "why": "x", "arguments": {"expression": "6*7", "digits": 2}}}`)
	if said := fmt.Sprint(e.Metadata["ignored"]); said != "[why digits]" {
		t.Errorf("ignored = %s, want [why digits]", said)
	}
}
