package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// runsOut makes a call whose time is up while it runs. The time counts from the
// call's acceptance, so on a busy machine a little may be over before a worker
// has the call; then it is made again with more.
func runsOut(t testing.TB, d door, tenant, call string) (e element) {
	t.Helper()
	for _, ms := range []int{40, 400, 4000, 20000} {
		if e = one(t, d, tenant, fmt.Sprintf(call, ms)); !strings.Contains(e.Message, "did not run") {
			break
		}
	}
	return e
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		e := runsOut(t, d, newTenant(), `{"tool": "debug.sleep", "timeout_ms": %d, "arguments": {"ms": 600000}}`)
		wantError(t, e, "timeout", "timed out after")
	})
}

// TestTimeoutOfEffect: a tool that stops at once when its time is up, before it
// acted, says timeout and wrote nothing.
func TestTimeoutOfEffect(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	e := runsOut(t, shared.http(0), tenant, `{"tool": "debug.effect", "timeout_ms": %d, "arguments": {"key": "k", "before_ms": 600000}}`)
	wantError(t, e, "timeout", "timed out")
	shared.wantLedger(t, tenant)
}

func TestTimeoutAboveTheToolsIsLowered(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		e := one(t, d, newTenant(), `{"tool": "debug.echo", "timeout_ms": 600000, "arguments": {"value": 1}}`)
		wantResult(t, e, "1")
		if got := e.Metadata["timeout_ms"]; got != 30_000.0 {
			t.Errorf("metadata.timeout_ms = %v, want 30000", got)
		}
		e = one(t, d, newTenant(), `{"tool": "debug.echo", "timeout_ms": 20000, "arguments": {"value": 1}}`)
		if got, there := e.Metadata["timeout_ms"]; there {
			t.Errorf("metadata.timeout_ms = %v for a timeout the tool allows, want none", got)
		}
		for _, huge := range []string{"1e18", "1e400"} {
			wantResult(t, one(t, d, newTenant(), `{"tool": "debug.echo", "timeout_ms": `+huge+`, "arguments": {"value": 1}}`), "1")
		}
	})
}

// TestDeafToolIsAnswered: a tool that ignores its context is answered in time,
// counted as stuck, and no longer counted when it returns.
func TestDeafToolIsAnswered(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{})
	d := s.http(0)
	e := one(t, d, "default", `{"tool": "debug.sleep", "timeout_ms": 3000, "arguments": {"ms": 9000, "deaf": true}}`)
	wantError(t, e, "timeout", "timed out after")
	if got := s.metric(t, "helve_stuck_calls"); got != 1 {
		t.Errorf("helve_stuck_calls = %v while a deaf tool runs, want 1", got)
	}
	wantResult(t, one(t, d, "default", echo("1")), "1")
	eventually(t, "helve_stuck_calls is 0", func() bool { return s.metric(t, "helve_stuck_calls") == 0 })
	if log := s.logs.String(); strings.Contains(log, `"level":"error"`) {
		t.Errorf("a deaf tool is no error of the worker, log:\n%s", log)
	}
}
