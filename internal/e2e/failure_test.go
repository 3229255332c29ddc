package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestToolFailures(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		for _, tt := range []struct{ how, errorType, message string }{
			{`"how": "error", "message": "no luck"`, "execution_error", "no luck"},
			{`"how": "panic", "message": "boom-secret"`, "execution_error", "crashed"},
			{`"how": "goexit"`, "execution_error", "crashed"},
			{`"how": "unencodable"`, "execution_error", "cannot be encoded"},
		} {
			e := one(t, d, newTenant(), `{"tool": "debug.fail", "arguments": {`+tt.how+`}}`)
			wantError(t, e, tt.errorType, tt.message)
			if strings.Contains(e.Message, "boom-secret") {
				t.Errorf("the value of a panic is for the log only, got %q", e.Message)
			}
			wantResult(t, one(t, d, newTenant(), echo("1")), "1")
		}
		wantError(t, runsOut(t, d, newTenant(), `{"tool": "debug.fail", "timeout_ms": %d, "arguments": {"how": "timeout"}}`), "timeout", "timed out after")
	})
}

func TestEveryErrorType(t *testing.T) {
	t.Parallel()
	var calls []string
	for _, kind := range tool.Kinds() {
		calls = append(calls, fmt.Sprintf(`{"tool": "debug.fail", "arguments": {"how": "error", "kind": %q, "message": "as asked"}}`, kind))
	}
	everyDoor(t, shared, func(t *testing.T, d door) {
		for i, e := range together(t, d, newTenant(), calls...) {
			wantError(t, e, string(tool.Kinds()[i]), "as asked")
		}
	})
}

// TestWorkersSurvive floods both workers with everything that breaks a tool.
func TestWorkersSurvive(t *testing.T) {
	t.Parallel()
	var calls []string
	for range 50 {
		for _, how := range []string{"panic", "goexit", "unencodable"} {
			calls = append(calls, fmt.Sprintf(`{"tool": "debug.fail", "arguments": {"how": %q}}`, how))
		}
		calls = append(calls, echo("1"))
	}
	for i, e := range together(t, shared.nats(), newTenant(), calls...) {
		if i%4 == 3 {
			wantResult(t, e, "1")
		} else {
			wantError(t, e, "execution_error", "")
		}
	}
}
