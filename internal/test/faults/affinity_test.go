package faults

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// homeWorker starts a worker with workspaces of its own to which users are bound, and
// returns it with its name.
func (w *world) homeWorker() (p *process, id string) {
	w.t.Helper()
	p = spawn(w.t, fmt.Sprintf("process %d, a worker with users,", len(w.all)), "worker",
		environment([]string{"HELVE_WORKER_AFFINITY=user", "HELVE_WORKER_SLOTS=4", "HELVE_GROUPS=webFetch=on"}),
		"--nats", w.url, "--data", w.t.TempDir(), "--http", "127.0.0.1:0", "--diagnostics", "--allow-host", "127.0.0.1")
	w.all = append(w.all, p)
	id, _, _ = strings.Cut(p.line("ready worker="), " ")
	return p, id
}

// site answers requests once it is open, and reports each on a channel before.
type site struct {
	*httptest.Server
	asked, open chan struct{}
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{asked: make(chan struct{}, 100), open: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.asked <- struct{}{}
		select {
		case <-s.open:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestWorkerOfAUserKilled: when the worker of a user dies, its running and waiting calls
// end on another one, none of them acts twice, and tools that use files report that earlier
// files may be missing.
func TestWorkerOfAUserKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, first := w.homeWorker()
	two, second := w.homeWorker()
	d, other := w.dispatcher("HELVE_GROUPS=webFetch=on"), w.dispatcher("HELVE_GROUPS=webFetch=on")
	write := func(d door, name string) element {
		c := w.call(defaultTenant, name, "write_file", map[string]any{"path": name, "content": "x"})
		a := d.execute(time.Minute, c)
		if a.err != nil || len(a.elements) != 1 || a.elements[0].Status != "success" {
			t.Fatalf("write_file: %d, %+v, %v", a.status, a.elements, a.err)
		}
		return a.elements[0]
	}
	before := write(d, "before")
	if again := write(other, "again"); again.Worker != before.Worker || len(again.Notes) > 0 {
		t.Fatalf("the user was on %s and is on %s with notes %q", before.Worker, again.Worker, again.Notes)
	}
	victim, left := one, second
	if before.Worker != first {
		victim, left = two, first
	}
	site := newSite(t)
	calls := make([]*call, 12)
	for i := range calls { // none ends before the worker is killed
		calls[i] = w.call(defaultTenant, fmt.Sprintf("c%d", i), "http_request", map[string]any{"url": site.URL})
	}
	answered := d.send(time.Minute, calls...)
	await(t, "a call runs", func() bool { return len(site.asked) > 0 })
	victim.kill()
	close(site.open)
	<-answered
	after := write(other, "after")
	if after.Worker != left ||
		!slices.ContainsFunc(after.Notes, func(n string) bool { return strings.Contains(n, "files from before are missing") }) {
		t.Errorf("the user is on %s with notes %q, want %s and a note", after.Worker, after.Notes, left)
	}
	ended := w.byID(w.settled(d))
	w.wantOutcomes(ended, calls, "success")
	for _, c := range calls {
		if ended[c.ID].Worker != left {
			t.Errorf("%s ended on %s, want %s", c.ID, ended[c.ID].Worker, left)
		}
	}
	w.drain()
}
