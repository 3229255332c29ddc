package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// unlikeWorker starts a worker of the pool without the diagnostic tools.
func (w *world) unlikeWorker() *process {
	w.t.Helper()
	p := spawn(w.t, fmt.Sprintf("process %d, a worker without diagnostic tools,", len(w.all)), "worker", environment(nil),
		"--nats", w.url, "--data", w.data, "--http", "127.0.0.1:0")
	w.all = append(w.all, p)
	p.line("ready worker=")
	return p
}

// newerWorker starts a worker with the diagnostic tools and one more, so that it is of
// another kind than those without it.
func (w *world) newerWorker() *process {
	w.t.Helper()
	dir := filepath.Join(w.data, "more-tools")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	for name, text := range map[string]string{
		"more.js": "function more(params) { return 1 }", "more.json": `{"name":"more","description":"One more.","parameters":{"type":"object"}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	p := spawn(w.t, fmt.Sprintf("process %d, a newer worker,", len(w.all)), "worker", environment(nil),
		"--nats", w.url, "--data", w.data, "--http", "127.0.0.1:0", "--diagnostics", "--tools", dir)
	w.all = append(w.all, p)
	p.line("ready worker=")
	return p
}

// TestOnlyWorkerWithToolKilled: calls that wait for the only worker with their tool survive
// its death, and run on a worker like it, or on a worker of a newer version that has the
// tool too. Other workers of the pool never end them.
func TestOnlyWorkerWithToolKilled(t *testing.T) {
	for _, tt := range []struct {
		name string
		next func(*world) *process
	}{
		{"one like it comes", func(w *world) *process { return w.worker() }},
		{"a newer one comes", (*world).newerWorker},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.unlikeWorker()
			w.unlikeWorker()
			victim := w.worker("HELVE_WORKER_SLOTS=4")
			d := w.dispatcher()
			calls := w.sleepers(20, 400)
			for i := range 10 {
				calls = append(calls, w.writer(fmt.Sprintf("late-%d", i), 0, 0))
			}
			first := w.sendRunning(d, calls...)
			victim.kill()
			tt.next(w)
			a := <-first
			ended := w.settled(d)
			w.allAgreed(a, w.byID(ended))
			w.wantOutcomes(w.byID(ended), calls[:20], "success")
			w.wantOutcomes(w.byID(ended), calls[20:], "success", "outcome_unknown")
			for key, lines := range w.ledger(defaultTenant) {
				if lines > 1 {
					t.Errorf("the effect of %s happened %d times", key, lines)
				}
			}
			w.drain()
		})
	}
}

// TestKilledWorkerIsGone: when the lease of a killed worker has expired, calls that only it
// could run are refused with the reason, and workers.list no longer has it.
func TestKilledWorkerIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlikeWorker()
	victim := w.worker()
	d := w.dispatcher()
	if a := d.execute(time.Minute, w.sleeper("before", 1)); a.status != 200 || a.elements[0].outcome() != "success" {
		t.Fatalf("the call before: %+v", a)
	}
	live := func() int {
		var list struct {
			Workers []struct{ ID string }
		}
		if _, err := request("GET", d.url+"/v1/workers", defaultTenant, nil, &list); err != nil {
			t.Fatal(err)
		}
		return len(list.Workers)
	}
	if n := live(); n != 2 {
		t.Fatalf("%d workers are live, want 2", n)
	}
	victim.signal(syscall.SIGKILL)
	await(t, "the killed worker is gone", func() bool { return live() == 1 })
	refused := &call{ID: "after", Tool: "debug.sleep", Args: map[string]any{"ms": 1}, tenant: defaultTenant}
	if a := d.execute(time.Minute, refused); a.status != 200 || a.elements[0].outcome() != "tool_not_available" {
		t.Errorf("the call after: %+v, want tool_not_available", a)
	}
}
