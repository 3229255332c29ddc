package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// parkMany parks n calls.
func (w *world) parkMany(d door, n int) (calls []*call, ids []string) {
	w.t.Helper()
	for range n {
		asked := w.guarded(fmt.Sprintf("g%d", len(w.calls)))
		calls, ids = append(calls, asked), append(ids, d.park(asked))
	}
	return calls, ids
}

// TestNATSKilledWithParkedCalls kills the server while calls are parked, and again while
// verdicts are carried out.
func TestNATSKilledWithParkedCalls(t *testing.T) {
	for _, say := range []string{"grant", "deny"} {
		t.Run(say, func(t *testing.T) {
			t.Parallel()
			addr, dir := queuetest.Addr(t), t.TempDir()
			server := natsd(t, addr, dir)
			w := worldAt(t, "nats://"+addr)
			w.worker()
			d := w.dispatcher()
			calls, ids := w.parkMany(d, 5)
			server.kill()
			await(t, "the end of readiness", func() bool { return ready(d.url) == 503 })
			server = natsd(t, addr, dir)
			await(t, "readiness", func() bool { return ready(d.url) == 200 })
			if n := len(d.inbox("pending")); n != len(calls) {
				t.Errorf("after the restart %d requests wait, want %d", n, len(calls))
			}
			for i, id := range ids {
				if i == len(ids)/2 {
					server.kill()
					await(t, "the end of readiness", func() bool { return ready(d.url) == 503 })
					natsd(t, addr, dir)
				}
				await(t, "a decision", func() bool {
					status := d.decide(id, say)
					return status == 200 || status == 409 // the answer to the first may be lost
				})
			}
			w.saidAndDone(d, say, calls...)
		})
	}
}

// TestEverythingKilledWithParkedCalls keeps only the files of the parked calls, and starts
// other processes on them.
func TestEverythingKilledWithParkedCalls(t *testing.T) {
	for _, say := range []string{"grant", "deny"} {
		t.Run(say, func(t *testing.T) {
			t.Parallel()
			addr, dir := queuetest.Addr(t), t.TempDir()
			server := natsd(t, addr, dir)
			w := worldAt(t, "nats://"+addr)
			w.worker()
			d := w.dispatcher()
			calls, ids := w.parkMany(d, 5)
			for _, p := range append(w.all, server) {
				p.kill()
			}
			natsd(t, addr, dir)
			w.worker()
			d = w.dispatcher()
			for i, id := range ids {
				if got := d.asked(calls[i]); got != id {
					t.Errorf("%s awaits %s after the restart, and awaited %s", calls[i].ID, got, id)
				}
				if status := d.decide(id, say); status != 200 {
					t.Errorf("%s = %d, want 200", say, status)
				}
			}
			w.saidAndDone(d, say, calls...)
		})
	}
}

// TestExpiredWhileNobodyWasThere: the time of a request passes without any process, and its
// end is one result too.
func TestExpiredWhileNobodyWasThere(t *testing.T) {
	t.Parallel()
	const short = "HELVE_CONSENT_TTL=1500ms"
	addr, dir := queuetest.Addr(t), t.TempDir()
	server := natsd(t, addr, dir)
	w := worldAt(t, "nats://"+addr)
	w.worker(short)
	d := w.dispatcher(short)
	calls, ids := w.parkMany(d, 1)
	for _, p := range append(w.all, server) {
		p.kill()
	}
	last(2 * time.Second)
	natsd(t, addr, dir)
	w.worker(short)
	d = w.dispatcher(short)
	if e := d.ended(calls[0]); e.outcome() != "consent_expired" {
		t.Errorf("the call ended in %s (%s), want consent_expired", e.outcome(), e.Message)
	}
	if status := d.decide(ids[0], "grant"); status != 409 {
		t.Errorf("a decision after the expiry = %d, want 409", status)
	}
	w.settled(d)
	if n := w.personalLedger()[calls[0].ID]; n != 0 {
		t.Errorf("the expired call wrote %d lines", n)
	}
	w.wantStory(calls[0], "consent_requested", "consent_decided", "refused")
}
