package execution

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestMilliseconds: a duration of 0 means that the tool was not started, so no tool that ran
// may have it.
func TestMilliseconds(t *testing.T) {
	for d, want := range map[time.Duration]float64{
		0: 0, 1: 0.001, time.Microsecond: 0.001, time.Microsecond + 1: 0.002, 1700 * time.Microsecond: 1.7, time.Second: 1000,
	} {
		if got := milliseconds(d); got != want {
			t.Errorf("milliseconds(%v) = %v, want %v", d, got, want)
		}
	}
}

// TestOutcomesKeepOrigin: the elements and records of a call name the way in which it was
// made, whether it ran or was refused.
func TestOutcomesKeepOrigin(t *testing.T) {
	x, c := &Executor{}, &Call{Call: &call.Call{ID: "c", Tenant: "acme", Tool: "echo", Via: "schedule"}}
	refused := x.failedResult(c, tool.Fail(tool.Timeout, "it waited too long"))
	for what, origin := range map[string]string{
		"refused": refused.Origin, "record of a refused call": refusalRecord(c, refused).Origin,
		"run": x.resultOf(c, &engine.Outcome{}).Origin, "record of a started call": recordOf(x.job(&run{call: c, free: func() {}}, func() {}), protocol.AuditStarted).Origin,
	} {
		if origin != "schedule" {
			t.Errorf("%s: the origin is %q, want schedule", what, origin)
		}
	}
}
