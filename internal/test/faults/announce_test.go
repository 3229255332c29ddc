package faults

import (
	"net/http"
	"syscall"
	"testing"
)

// TestTerminatedStillAnswers sends SIGTERM to a dispatcher: while /readyz reports the drain,
// new connections are accepted and their calls answered, until http.drain_delay is over.
func TestTerminatedStillAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.worker()
	going := w.dispatcher("HELVE_HTTP_DRAIN_DELAY=10m")
	going.signal(syscall.SIGTERM)
	await(t, "/readyz of a dispatcher that ends", func() bool { return ready(going.url) == http.StatusServiceUnavailable })
	c := w.sleeper("after", 1)
	if a := going.execute(patience(), c); a.status != http.StatusOK || a.elements[0].Status != "success" {
		t.Errorf("a call after SIGTERM was answered %d %v %v, want success", a.status, a.elements, a.err)
	}
	going.kill() // the drain would begin in ten minutes

	soon := w.dispatcher("HELVE_HTTP_DRAIN_DELAY=1ms")
	soon.drain()
}
