package calls

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestTimeout(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		e := system.RunsOut(t, d, system.NewTenant(), `{"tool": "debug.sleep", "timeout_ms": %d, "arguments": {"ms": 600000}}`)
		system.WantError(t, e, "timeout", "timed out after")
	})
}

// TestTimeoutOfEffect: a tool that stops when its time is up, before it acted, ends in
// timeout and wrote nothing.
func TestTimeoutOfEffect(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	e := system.RunsOut(t, shared.HTTP(0), tenant,
		`{"tool": "debug.effect", "timeout_ms": %d, "arguments": {"key": "k", "before_ms": 600000}}`)
	system.WantError(t, e, "timeout", "timed out")
	shared.WantLedger(t, tenant)
}

func TestTimeoutAboveTheToolsIsLowered(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		e := system.One(t, d, system.NewTenant(), `{"tool": "debug.echo", "timeout_ms": 600000, "arguments": {"value": 1}}`)
		system.WantResult(t, e, "1")
		if got := e.Metadata["timeout_ms"]; got != 30_000.0 {
			t.Errorf("metadata.timeout_ms = %v, want 30000", got)
		}
		e = system.One(t, d, system.NewTenant(), `{"tool": "debug.echo", "timeout_ms": 20000, "arguments": {"value": 1}}`)
		if got, there := e.Metadata["timeout_ms"]; there {
			t.Errorf("metadata.timeout_ms = %v for a timeout the tool allows, want none", got)
		}
		for _, huge := range []string{"1e18", "1e400"} {
			system.WantResult(t,
				system.One(t, d, system.NewTenant(), `{"tool": "debug.echo", "timeout_ms": `+huge+`, "arguments": {"value": 1}}`), "1")
		}
	})
}

// TestDeafToolIsAnswered: the call of a tool that ignores its context is answered in time,
// counted as stuck, and no longer counted when the tool returns.
func TestDeafToolIsAnswered(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	d := s.HTTP(0)
	e := system.One(t, d, "default", `{"tool": "debug.sleep", "timeout_ms": 3000, "arguments": {"ms": 9000, "deaf": true}}`)
	system.WantError(t, e, "timeout", "timed out after")
	if got := s.Metric(t, "helve_stuck_calls"); got != 1 {
		t.Errorf("helve_stuck_calls = %v while a deaf tool runs, want 1", got)
	}
	system.WantResult(t, system.One(t, d, "default", system.EchoCall("1")), "1")
	system.Eventually(t, "helve_stuck_calls is 0", func() bool { return s.Metric(t, "helve_stuck_calls") == 0 })
	if log := s.Logs.String(); strings.Contains(log, `"level":"error"`) {
		t.Errorf("a deaf tool is no error of the worker, log:\n%s", log)
	}
}
