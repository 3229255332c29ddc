package people

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestTokenOfABatchsCalls: calls that a person approved are approved in a batch too; the
// batch itself needs no consent.
func TestTokenOfABatchsCalls(t *testing.T) {
	t.Parallel()
	tenant, d, trace := system.NewTenant(), shared.HTTP(0), strings.Repeat("b", 32)
	tok := system.MintToken(t, d, tenant, trace, `"tools": ["debug.guarded"]`)
	const batch = `{"context": {"user": "u1"}, "trace_id": %q, "calls": [{"tool": "batch_use_tool", "confirm_token": %q, "arguments": {"calls": [
		{"tool_name": "debug.guarded", "arguments": {"key": "k"}}, {"tool_name": "calculate", "arguments": {"expression": "6*7"}}]}}]}`
	e := system.One(t, d, tenant, fmt.Sprintf(`{"tool": "calculate", "confirm_token": %q, "arguments": {"expression": "1"}}`, tok))
	system.WantError(t, e, "permission_denied", "another")
	got := system.Execute(t, d, tenant, fmt.Sprintf(batch, trace, tok)).Results[0]
	if got.Status != "success" || !strings.Contains(string(got.Result), `"succeeded":2`) {
		t.Errorf("the batch ended as %s %s %s, want both done", got.Status, got.Message, got.Result)
	}
	again := system.Execute(t, d, tenant, fmt.Sprintf(batch, trace, tok)).Results[0]
	if !strings.Contains(string(again.Result), `"succeeded":1`) || !strings.Contains(string(again.Result), "confirmation_required") {
		t.Errorf("the token was used, and another batch ended as %s", again.Result)
	}
	slow := system.One(t, d, tenant,
		`{"tool": "batch_use_tool", "timeout_ms": 200, "arguments": {"calls": [{"tool_name": "debug.sleep", "arguments": {"ms": 60000}}]}}`)
	if !strings.Contains(string(slow.Result)+slow.Message, "timed out after 0.2s") {
		t.Errorf("a batch of 200 ms ended as %s %s", slow.Result, slow.Message)
	}
}

// TestUseToolSaysWhatItIgnored: use_tool lists ignored parameters of its own and of the
// called tool.
func TestUseToolSaysWhatItIgnored(t *testing.T) {
	t.Parallel()
	e := system.One(t, shared.HTTP(0), system.NewTenant(),
		`{"tool": "use_tool", "arguments": {"tool_name": "calculate", "why": "x", "arguments": {"expression": "6*7", "digits": 2}}}`)
	if said := fmt.Sprint(e.Metadata["ignored"]); said != "[why digits]" {
		t.Errorf("ignored = %s, want [why digits]", said)
	}
}
