package calls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

func TestToolFailures(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for _, tt := range []struct{ how, errorType, message string }{
			{`"how": "error", "message": "no luck"`, "execution_error", "no luck"},
			{`"how": "panic", "message": "boom-secret"`, "execution_error", "crashed"},
			{`"how": "goexit"`, "execution_error", "crashed"},
			{`"how": "unencodable"`, "execution_error", "cannot be encoded"},
		} {
			e := system.One(t, d, system.NewTenant(), `{"tool": "debug.fail", "arguments": {`+tt.how+`}}`)
			system.WantError(t, e, tt.errorType, tt.message)
			if strings.Contains(e.Message, "boom-secret") {
				t.Errorf("the value of a panic is for the log only, got %q", e.Message)
			}
			system.WantResult(t, system.One(t, d, system.NewTenant(), system.EchoCall("1")), "1")
		}
		system.WantError(t, system.RunsOut(t, d, system.NewTenant(), `{"tool": "debug.fail", "timeout_ms": %d, "arguments": {"how": "timeout"}}`),
			"timeout", "timed out after")
	})
}

func TestEveryErrorType(t *testing.T) {
	t.Parallel()
	var calls []string
	for _, kind := range tool.Kinds() {
		calls = append(calls, fmt.Sprintf(`{"tool": "debug.fail", "arguments": {"how": "error", "kind": %q, "message": "as asked"}}`, kind))
	}
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for i, e := range system.Together(t, d, system.NewTenant(), calls...) {
			system.WantError(t, e, string(tool.Kinds()[i]), "as asked")
		}
	})
}

// TestWorkersSurvive sends many calls with every fault of a tool to both workers.
func TestWorkersSurvive(t *testing.T) {
	t.Parallel()
	var calls []string
	for range 50 {
		for _, how := range []string{"panic", "goexit", "unencodable"} {
			calls = append(calls, fmt.Sprintf(`{"tool": "debug.fail", "arguments": {"how": %q}}`, how))
		}
		calls = append(calls, system.EchoCall("1"))
	}
	for i, e := range system.Together(t, shared.NATS(), system.NewTenant(), calls...) {
		if i%4 == 3 {
			system.WantResult(t, e, "1")
		} else {
			system.WantError(t, e, "execution_error", "")
		}
	}
}
