package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// TestGroupFails strikes a worker that stores results of several calls in one message,
// before and after they are stored. Another worker takes over and stores its own results,
// and the first, if it was only stopped, stores its group after that. Each call has one
// outcome, which both dispatchers answer, and one final record.
func TestGroupFails(t *testing.T) {
	for _, point := range []string{failpoint.WorkerBeforeGroup, failpoint.WorkerAfterGroup} {
		for _, action := range actions {
			t.Run(point+"/"+action, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				victim := w.worker(failing("%s=%s", point, action))
				d, other := w.dispatcher("HELVE_LOG_LEVEL=debug"), w.dispatcher()
				asked := w.sleepers(30, 100)
				first := d.send(time.Minute, asked...)
				victim.struck(point, action)
				if action != "error" {
					w.worker()
				}
				w.wantGrouped(first, d, other, asked, action == "kill", func() {
					if action == "stop" {
						victim.signal(syscall.SIGCONT)
					}
				})
			})
		}
	}
}

// TestGroupAfterRestart stops a worker that is about to store a group. Its calls end on
// another worker, NATS is restarted, and then the group is stored.
func TestGroupAfterRestart(t *testing.T) {
	t.Parallel()
	addr, dir := queuetest.Addr(t), t.TempDir()
	server := natsd(t, addr, dir)
	w := worldAt(t, "nats://"+addr)
	victim := w.worker(failing("%s=stop", failpoint.WorkerBeforeGroup))
	d, other := w.dispatcher("HELVE_LOG_LEVEL=debug"), w.dispatcher()
	asked := w.sleepers(30, 100)
	first := d.send(time.Minute, asked...)
	victim.struck(failpoint.WorkerBeforeGroup, "stop")
	w.worker()
	w.wantGrouped(first, d, other, asked, false, func() {
		server.kill()
		natsd(t, addr, dir)
		victim.signal(syscall.SIGCONT)
	})
}

// wantGrouped checks every promise for calls, some of whose results are in a group. Then
// runs when they have ended; gone means that the worker that stores groups is killed.
func (w *world) wantGrouped(first <-chan answer, d, other door, asked []*call, gone bool, then func()) {
	w.t.Helper()
	ended := w.settleAll(other, asked)
	then()
	await(w.t, "a stored group of a process that was not lost", func() bool { return gone || w.observe().groups() > 0 })
	w.wantOutcomes(ended, asked, "success")
	w.allAgreed(<-first, ended)
	await(w.t, "an empty queue", func() bool { return w.observe().queued() == 0 })
	for _, c := range asked {
		for _, at := range []door{d, other} {
			e := ended[c.ID]
			if got, _ := at.get(c); !got.same(&e) {
				w.t.Errorf("%s: calls.get answers %+v, answered was %+v", c.ID, got, e)
			}
		}
	}
	for _, c := range asked {
		final := 0
		for _, r := range w.observe().records() {
			if r.CallID == c.ID && strings.HasPrefix(r.AuditID, "f-") && r.Phase != "superseded" {
				final++
			}
		}
		if final != 1 {
			w.t.Errorf("%s has %d final records, want 1", c.ID, final)
		}
	}
	w.settled(d)
}

// groups returns the number of messages with several results.
func (o observer) groups() (n int) {
	o.each(anyResult, func(msg jetstream.Msg) {
		if msg.Headers().Get("Helve-Group") != "" {
			n++
		}
	})
	return n
}
