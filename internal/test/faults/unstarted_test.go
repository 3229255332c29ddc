package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// TestWorkerEndsUnstartedCall cancels a call that a worker has taken and not started. The
// worker fails around the fence of that end, and the call is delivered to another worker,
// which must not start it once the caller can read "cancelled", and to which it belongs if
// it was first.
func TestWorkerEndsUnstartedCall(t *testing.T) {
	for _, tt := range []struct {
		point, action, want string
		lines               int
	}{
		{failpoint.WorkerAfterTool, "stop", "cancelled", 0},
		{failpoint.WorkerAfterTool, "kill", "cancelled", 0},
		{failpoint.WorkerBeforeEnd, "stop", "success", 1},
		{failpoint.WorkerBeforeEnd, "kill", "success", 1},
		{failpoint.WorkerBeforeEnd, "error", "cancelled", 0},
	} {
		t.Run(tt.point+"/"+tt.action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			a := w.worker(failing("%s=pause:2s,%s=%s", failpoint.WorkerTaken, tt.point, tt.action))
			d := w.dispatcher()
			asked := w.writer("call-1", 0, 0)
			first := d.send(time.Minute, asked)
			a.line("failpoint " + failpoint.WorkerTaken)
			go d.cancel(asked)
			a.struck(tt.point, tt.action)
			if tt.action != "error" {
				// The other worker stores its outcome only after the first one continues.
				b := w.worker(failing("%s=pause:2s", failpoint.WorkerAfterTool))
				b.line("failpoint " + failpoint.WorkerAfterTool)
			}
			if tt.action == "stop" {
				a.signal(syscall.SIGCONT)
			}
			got := d.settle(t, asked)
			if got.outcome() != tt.want {
				t.Errorf("the call ended in %s (%s), want %s", got.outcome(), got.Message, tt.want)
			}
			w.agreed(<-first, got)
			w.settled(d)
			if n := w.ledger(defaultTenant)[asked.ID]; n != tt.lines {
				t.Errorf("a call that ended in %s wrote %d lines, want %d", got.outcome(), n, tt.lines)
			}
		})
	}
}

// TestGivenUpCallDoesNotStart stops a worker that is about to start a call, and has another
// end the call. The first continues and must not act.
func TestGivenUpCallDoesNotStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const few = "HELVE_WORKER_MAX_ATTEMPTS=1"
	// One slot, so that the stopped worker does not receive the second delivery too.
	a := w.worker(few, "HELVE_WORKER_SLOTS=1", failing("%s=stop", failpoint.WorkerBeforeFence))
	d := w.dispatcher()
	asked := w.writer("call-1", 0, 0)
	first := d.send(time.Minute, asked)
	a.struck(failpoint.WorkerBeforeFence, "stop")
	w.worker(few)
	// Nobody asks again meanwhile: that would be one more attempt.
	given := <-first
	got := d.settle(t, asked)
	if got.outcome() != "execution_error" || !strings.Contains(got.Message, "given up") {
		t.Errorf("the call ended in %s (%s), want it given up", got.outcome(), got.Message)
	}
	a.signal(syscall.SIGCONT)
	w.agreed(given, got)
	w.settled(d)
	if n := w.ledger(defaultTenant)[asked.ID]; n != 0 {
		t.Errorf("a call that was given up wrote %d lines, want none", n)
	}
}
