package faults

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// TestMoveFails strikes a worker that has moved a waiting call to another worker while its
// own message of the call is still on the queue. The call then is on the queue twice, and
// acts once.
func TestMoveFails(t *testing.T) {
	for _, action := range actions {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			victim := w.worker(failing("%s=%s", failpoint.QueueMoved, action), "HELVE_WORKER_SLOTS=1")
			d := w.dispatcher("HELVE_SHARE_QUICK_USER=1")
			runs := w.sleeper("runs", 20_000)
			w.sendRunning(d, runs)
			waits := w.writer("waits", 100, 0)
			first := d.send(time.Minute, waits)
			await(t, "the victim holds both calls", func() bool { return w.observe().held() == 2 })
			w.worker()
			victim.struck(failpoint.QueueMoved, action)
			got := d.settle(t, waits)
			if action == "stop" {
				victim.signal(syscall.SIGCONT)
			}
			if got.outcome() != "success" {
				t.Errorf("the moved call ended in %s (%s), want success", got.outcome(), got.Message)
			}
			w.agreed(<-first, got)
			d.settle(t, runs)
			w.settled(d)
		})
	}
}

// held returns the number of calls that workers have taken and not ended, of all lanes.
func (o observer) held() (calls int) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	all := o.streamOf("helve.v1.default.call.default.tool").ListConsumers(ctx)
	for info := range all.Info() {
		calls += info.NumAckPending
	}
	if err := all.Err(); err != nil {
		o.t.Fatal(err)
	}
	return calls
}
