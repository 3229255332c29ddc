package faults

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// outage is long enough for every heartbeat, acknowledgement and redelivery time of these
// tests to expire, and for several attempts to reconnect.
const outage = 5 * time.Second

// natsd starts the NATS server as a process.
func natsd(t *testing.T, addr, dir string) *process {
	t.Helper()
	p := spawn(t, "the NATS server", "natsd", environment(nil), "-addr", addr, "-dir", dir)
	p.line("ready nats=")
	return p
}

// TestNATSUnreachableAtStart starts a dispatcher and a worker before there is
// a server.
func TestNATSUnreachableAtStart(t *testing.T) {
	t.Parallel()
	addr := queuetest.Addr(t)
	w := worldAt(t, "nats://"+addr)
	workerHTTP, doorHTTP := queuetest.Addr(t), queuetest.Addr(t)
	worker, dispatcher := w.spawnWorker(workerHTTP), w.spawnDispatcher(doorHTTP)
	for _, p := range []struct {
		*process
		url string
	}{{worker, "http://" + workerHTTP}, {dispatcher, "http://" + doorHTTP}} {
		await(t, "/readyz of "+p.name, func() bool { return ready(p.url) == http.StatusServiceUnavailable })
		await(t, "a line of "+p.name+" that names NATS and its address", func() bool {
			for line := range strings.Lines(p.output()) {
				if strings.Contains(line, `"level":"warn"`) && strings.Contains(line, "nats") && strings.Contains(line, addr) {
					return true
				}
			}
			return false
		})
		if p.gone() || strings.Contains(p.output(), "ready worker=") || strings.Contains(p.output(), "ready http=") {
			t.Errorf("%s is ready or gone without NATS", p.name)
		}
	}
	d := door{process: dispatcher, url: "http://" + doorHTTP}
	if a := d.execute(time.Second, &call{ID: "early", Tool: "debug.sleep", tenant: defaultTenant}); a.status != http.StatusServiceUnavailable {
		t.Errorf("a call without NATS is answered with %d, want 503", a.status)
	}
	natsd(t, addr, t.TempDir())
	worker.line("ready worker=")
	dispatcher.line("ready http=")
	await(t, "readiness", func() bool { return ready("http://"+workerHTTP) == 200 && ready(d.url) == 200 })
	asked := w.writer("after", 0, 0)
	if got := d.settle(t, asked); got.outcome() != "success" {
		t.Errorf("the first call ended in %+v, want success", got)
	}
	w.settled(d)
}

// TestTerminatedWithoutNATS ends programs that wait for their server.
func TestTerminatedWithoutNATS(t *testing.T) {
	t.Parallel()
	w := worldAt(t, "nats://"+queuetest.Addr(t))
	w.spawnWorker("127.0.0.1:0")
	w.spawnDispatcher("127.0.0.1:0")
	for _, p := range w.all {
		await(t, "a word of "+p.name, func() bool { return p.output() != "" })
	}
	w.drain()
}

// TestNATSKilledAndBack kills the server while calls run, are queued and are done, and
// starts it again on its data after a while.
func TestNATSKilledAndBack(t *testing.T) {
	t.Parallel()
	addr, dir := queuetest.Addr(t), t.TempDir()
	server := natsd(t, addr, dir)
	w := worldAt(t, "nats://"+addr)
	worker := w.worker("HELVE_WORKER_SLOTS=40")
	d := w.dispatcher()
	before := append(w.sleepers(5, 1), w.writers(5, 0, 0)...)
	done := d.execute(time.Minute, before...)
	if done.status != 200 {
		t.Fatalf("before the fault: %+v", done)
	}

	sleepers, writers := w.sleepers(60, 700), w.writers(60, 350, 350)
	caught := append(append([]*call{}, sleepers...), writers...)
	first := w.sendRunning(d, caught...)
	server.kill()
	await(t, "the end of readiness", func() bool { return ready(d.url) == http.StatusServiceUnavailable })
	if a := d.execute(time.Second, &call{
		ID:     "during",
		Tool:   "debug.sleep",
		tenant: defaultTenant,
	}); a.status != http.StatusServiceUnavailable {
		t.Errorf("a call without NATS is answered with %d, want 503", a.status)
	}
	last(outage)
	natsd(t, addr, dir)
	await(t, "readiness", func() bool { return ready(d.url) == 200 })

	ended := w.settleAll(d, caught)
	w.wantOutcomes(ended, sleepers, "success")
	w.wantOutcomes(ended, writers, "success") // no worker died, so nothing is unknown
	w.allAgreed(<-first, ended)
	again := d.execute(time.Minute, before...)
	for i, e := range again.elements {
		if !e.same(&done.elements[i]) {
			t.Errorf("sent again after the restart: %+v, want the stored %+v", e, done.elements[i])
		}
	}
	if len(again.elements) != len(before) {
		t.Errorf("sent again after the restart: %+v", again)
	}
	after := append(w.sleepers(20, 1), w.writers(20, 0, 0)...)
	w.wantOutcomes(w.settleAll(d, after), after, "success")
	if worker.gone() {
		t.Error("the worker did not outlive the server")
	}
	w.settled(d)
}
