package main

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestDoctorMemory: it warns of bounds that need more memory than there is.
func TestDoctorMemory(t *testing.T) {
	srv := queuetest.Server(t)
	check := func(wantOK, want string) {
		t.Helper()
		_, out, errs := doctor(t, "--data", t.TempDir(), "--nats", srv.URL())
		if _, ok, detail := row(out, "nats_memory"); ok != wantOK || !strings.Contains(detail, want) || strings.Contains(errs, "nats_memory") {
			t.Errorf("row nats_memory = %s %s, error %q, want %s %s", ok, detail, errs, wantOK, want)
		}
	}
	check("no", "cannot see the streams")
	queuetest.Connect(t, srv)
	check("yes", "for results, once-only records and callbacks of the")
	queuetest.Connect(t, srv, func(o *queue.Options) { o.OnceMaxMessages = 1 << 40 })
	check("no", "lower streams.results_max_messages")
}
