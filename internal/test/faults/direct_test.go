package faults

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// directs returns the number of direct calls of a dispatcher that have ended, with any of
// the outcomes.
func (d door) directs(outcomes ...string) (sum float64) {
	d.t.Helper()
	res, err := patient.Get(d.url + "/metrics")
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		for _, outcome := range outcomes {
			var n float64
			if _, err := fmt.Sscanf(line, "helve_calls_direct_total{outcome=\""+outcome+"\"} %g", &n); err == nil {
				sum += n
			}
		}
	}
	return sum
}

// quick returns a call that a dispatcher sends to a worker directly once calls of its tool
// were quick.
func (w *world) quick(id string, ms int) *call {
	c := w.sleeper(id, ms)
	c.Waits = false
	return c
}

// warm makes quick calls until the dispatcher sends such calls directly.
func (w *world) warm(d door) {
	w.t.Helper()
	c := &call{Tool: "debug.sleep", Args: map[string]any{"ms": 0}, tenant: defaultTenant}
	await(w.t, "a direct call", func() bool {
		d.execute(time.Minute, c)
		return d.directs("answered") > 0
	})
}

// victim starts a worker and drains the earlier one, so that it gets every call.
func (w *world) victim(before *process, env ...string) *process {
	w.t.Helper()
	v := w.worker(env...)
	before.drain()
	return v
}

var directTrials = []trial{
	{point: failpoint.QueueReceiveDirect},
	{point: failpoint.WorkerTaken},
	{point: failpoint.WorkerAfterTool},
	{point: failpoint.QueuePublish},
	{point: failpoint.QueueAck},
	{point: failpoint.WorkerAfterResult},
	{point: failpoint.WorkerAfterAck},
}

// TestDirectWorkerFails strikes a worker at every boundary of a direct call. Its dispatcher
// queues the call, and another worker runs it, unless its result was stored.
func TestDirectWorkerFails(t *testing.T) {
	for _, c := range directTrials {
		c.each(t, []string{"sleep"}, func(t *testing.T, action, _ string) {
			w := newWorld(t)
			helper := w.worker()
			d, other := w.dispatcher(), w.dispatcher()
			w.warm(d)
			victim := w.victim(helper, c.arm(action))
			first := d.send(time.Minute, w.quick("call-1", 20))
			victim.struck(c.point, action)
			if action != "error" {
				w.worker()
			}
			w.wantDirect(d, other, first, func() {
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
				}
			})
		})
	}
}

// wantDirect checks every promise for the one call of the world, which was direct. Then
// runs once it has ended.
func (w *world) wantDirect(d, other door, first <-chan answer, then func()) {
	w.t.Helper()
	asked := w.calls[0]
	got := other.settle(w.t, asked)
	then()
	if got.outcome() != "success" {
		w.t.Errorf("the call ended in %s (%s), want success", got.outcome(), got.Message)
	}
	w.agreed(<-first, got)
	w.settled(other)
	w.wantFinal(asked, &got)
}

// TestDirectDeclineFails strikes a worker without a free slot that declines a direct call.
func TestDirectDeclineFails(t *testing.T) {
	for _, action := range actions {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			helper := w.worker()
			d, other := w.dispatcher(), w.dispatcher()
			w.warm(d)
			victim := w.victim(helper, failing("%s=%s", failpoint.QueueDecline, action), "HELVE_WORKER_SLOTS=1")
			asked := w.quick("call-1", 20)
			holds := w.sleeper("holds", 3000)
			other.execute(0, holds)
			w.awaitState(other, holds, "running")
			first := d.send(time.Minute, asked)
			victim.struck(failpoint.QueueDecline, action)
			w.worker()
			w.wantDirect(d, other, first, func() {
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
				}
				other.settle(t, holds)
			})
		})
	}
}

// TestDirectDispatcherFails strikes a dispatcher that has sent a call to a worker, and
// another that is about to queue it. The caller then uses a different dispatcher with the same call_id.
func TestDirectDispatcherFails(t *testing.T) {
	for _, point := range []string{failpoint.DispatcherAfterHand, failpoint.DispatcherBeforeCopy} {
		for _, action := range actions {
			t.Run(point+"/"+action, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.worker()
				other := w.dispatcher()
				victim := w.dispatcher(failing("%s=%s", point, action))
				// The first direct call of the dispatcher strikes it.
				strike := "failpoint " + point + " " + action
				var asked *call
				var first <-chan answer
				await(t, strike, func() bool {
					w.calls = nil
					if asked = w.quick(fmt.Sprintf("call-%d", time.Now().UnixNano()), 0); point == failpoint.DispatcherBeforeCopy &&
						victim.directs("answered") > 0 {
						asked = w.quick(asked.ID, 1500)
						w.calls = w.calls[1:]
					}
					first = victim.send(time.Minute, asked)
					select {
					case a := <-first:
						first = nil
						if a.status == http.StatusOK && a.elements[0].ended() {
							return false
						}
					case <-time.After(patience()):
					case <-victim.exited:
					case <-hit(victim.process, strike):
					}
					return true
				})
				victim.struck(point, action)
				got := other.settle(t, asked)
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
				}
				if got.outcome() != "success" {
					t.Errorf("the call ended in %s (%s), want success", got.outcome(), got.Message)
				}
				if first != nil {
					w.agreed(<-first, got)
				}
				w.settled(other)
				w.wantFinal(asked, &got)
			})
		}
	}
}

// hit is closed when a process has written a line with this beginning.
func hit(p *process, line string) <-chan struct{} {
	found := make(chan struct{})
	go func() {
		defer close(found)
		for !p.gone() && !strings.Contains(p.output(), line) {
			<-time.After(lookFirst)
		}
	}()
	return found
}

// TestDirectDeaths kills every set of the processes of a direct call at the same time: the
// worker, its dispatcher and the server, before the worker has published the result, after
// the server has stored it, and after the caller was answered.
func TestDirectDeaths(t *testing.T) {
	for _, when := range []string{"before", "stored", "answered"} {
		for _, dead := range []string{
			"worker", "dispatcher", "server", "dispatcher worker", "server worker", "server dispatcher", "server dispatcher worker",
		} {
			t.Run(when+"/"+dead, func(t *testing.T) {
				t.Parallel()
				addr, dir := queuetest.Addr(t), t.TempDir()
				server := natsd(t, addr, dir)
				w := worldAt(t, "nats://"+addr)
				helper := w.worker()
				d, other := w.dispatcher(), w.dispatcher()
				w.warm(d)
				worker := w.victim(helper, failing("%s=stop", failpoint.WorkerAfterTool))
				first := d.send(time.Minute, w.quick("call-1", 0))
				worker.struck(failpoint.WorkerAfterTool, "stop")
				var early *answer
				switch when {
				case "stored":
					d.pause()
					worker.signal(syscall.SIGCONT)
					await(t, "the stored result", func() bool { return len(w.observe().results()["default/call-1"]) == 1 })
				case "answered":
					worker.signal(syscall.SIGCONT)
					a := <-first
					early = &a
				}
				dies := strings.Fields(dead)
				for name, p := range map[string]*process{"worker": worker, "dispatcher": d.process, "server": server} {
					if slices.Contains(dies, name) {
						p.signal(syscall.SIGKILL)
					}
				}
				for name, p := range map[string]*process{"worker": worker, "dispatcher": d.process, "server": server} {
					if slices.Contains(dies, name) {
						p.awaitEnd()
					} else if name != "server" {
						p.signal(syscall.SIGCONT)
					}
				}
				if slices.Contains(dies, "server") {
					natsd(t, addr, dir)
				}
				if slices.Contains(dies, "worker") {
					w.worker()
				}
				if early == nil {
					w.wantDirect(d, other, first, func() {})
					return
				}
				answered := make(chan answer, 1)
				answered <- *early
				w.wantDirect(d, other, answered, func() {})
			})
		}
	}
}

// TestDirectCopyDies kills the worker of a direct call and the worker of the copy that its
// dispatcher queued.
func TestDirectCopyDies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	helper := w.worker()
	d, other := w.dispatcher(), w.dispatcher()
	w.warm(d)
	one := w.victim(helper, failing("%s=kill", failpoint.WorkerAfterTool))
	first := d.send(time.Minute, w.quick("call-1", 0))
	one.struck(failpoint.WorkerAfterTool, "kill")
	w.worker(failing("%s=kill", failpoint.WorkerAfterTool)).struck(failpoint.WorkerAfterTool, "kill")
	w.worker()
	w.wantDirect(d, other, first, func() {})
}

// TestDirectCallOfNobody kills the worker and the dispatcher of a direct call whose id the
// dispatcher generated: it is as if the request had never arrived.
func TestDirectCallOfNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	helper := w.worker()
	d, other := w.dispatcher(failing("%s=stop", failpoint.DispatcherBeforeCopy)), w.dispatcher()
	w.warm(d)
	worker := w.victim(helper, failing("%s=stop", failpoint.WorkerAfterTool))
	o := w.observe()
	before := o.stored(anyResult)
	first := d.send(time.Minute, &call{Tool: "debug.sleep", Args: map[string]any{"ms": 0}, tenant: defaultTenant})
	worker.struck(failpoint.WorkerAfterTool, "stop")
	d.struck(failpoint.DispatcherBeforeCopy, "stop")
	worker.kill()
	d.kill()
	if a := <-first; a.status != 0 {
		t.Errorf("the caller was answered %+v", a)
	}
	w.worker()
	if got := other.settle(t, w.sleeper("after", 0)); got.outcome() != "success" {
		t.Errorf("the next call ended in %+v", got)
	}
	if n := o.stored(anyResult) - before; n != 1 || o.queued() > 1 {
		t.Errorf("%d results were stored and %d calls are queued, want those of the next call alone", n, o.queued())
	}
	w.settled(other)
}
