package faults

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestDeletedBehindTheBack deletes each stream and bucket that is made again while the
// programs run. New calls with effects go on after each, readiness returns, and their
// records are on the trail. A stream that is not made again makes the programs not ready.
// It is older than those of a new server then, for which another rule holds.
func TestDeletedBehindTheBack(t *testing.T) {
	nightly(t)
	t.Parallel()
	w := newWorld(t)
	workerHTTP := queuetest.Addr(t)
	w.spawnWorker(workerHTTP).line("ready worker=")
	d := w.dispatcher()
	nc, err := nats.Connect(w.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	effects := func(when string) *call {
		t.Helper()
		var c *call
		tries := 0
		await(t, "a call that succeeds after "+when, func() bool { // workers list their tools again first
			tries++
			c = w.writer(fmt.Sprintf("after-%s-%d", when, tries), 0, 0)
			got := d.settle(t, c)
			if got.outcome() != "success" && got.ErrorType != "tool_not_found" {
				t.Fatalf("the call after %s ended in %+v", when, got)
			}
			return got.outcome() == "success"
		})
		return c
	}
	effects("start")
	old := time.Now().Add(time.Minute + 5*time.Second)
	for _, name := range []string{
		"HELVE_CALLS", "HELVE_RESULTS", "HELVE_DEAD", "HELVE_CONSENT", "HELVE_DECISIONS", "HELVE_TIMERS", "HELVE_CALLBACKS",
		"KV_helve_catalog", "KV_helve_asks", "KV_helve_keys", "KV_helve_leases", "KV_helve_sealed", "KV_helve_loads", "KV_helve_rates",
		"KV_helve_remote", "KV_helve_workers", "KV_helve_affinity", "KV_helve_connects", "KV_helve_sessions", "KV_helve_history",
		"KV_helve_push", "OBJ_HELVE_CALLS", "OBJ_HELVE_RESULTS",
	} {
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		began := time.Now()
		await(t, name+" made again", func() bool { _, err := js.Stream(t.Context(), name); return err == nil })
		effects(name)
		await(t, "readiness after "+name, func() bool { return ready(d.url) == http.StatusOK && ready("http://"+workerHTTP) == http.StatusOK })
		t.Logf("%s: %v", name, time.Since(began).Round(time.Millisecond))
	}
	c := effects("all")
	audit, err := js.OrderedConsumer(t.Context(), "HELVE_AUDIT", jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	found := make(chan struct{}, 1)
	run, err := audit.Consume(func(m jetstream.Msg) {
		for line := range bytes.Lines(m.Data()) {
			if bytes.Contains(line, []byte(`"audit_id":"f-`)) && bytes.Contains(line, []byte(`"`+c.ID+`"`)) {
				select {
				case found <- struct{}{}:
				default:
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(run.Stop)
	select {
	case <-found:
	case <-time.After(patience()):
		t.Error("the final record of the last call is not on the trail")
	}

	last(time.Until(old))
	if err := js.DeleteStream(t.Context(), "HELVE_ONCE"); err != nil {
		t.Fatal(err)
	}
	await(t, "the end of readiness without fences", func() bool { return ready(d.url) == http.StatusServiceUnavailable })
	await(t, "refusal without fences", func() bool {
		return d.execute(time.Second, &call{
			ID:     "unfenced",
			Tool:   "debug.effect",
			Args:   map[string]any{"key": "k"},
			tenant: defaultTenant,
		}).status == http.StatusServiceUnavailable
	})
	again := w.dispatcher() // the restart that accepts the loss
	await(t, "readiness", func() bool { return ready(d.url) == http.StatusOK && ready(again.url) == http.StatusOK })
	effects("HELVE_ONCE")
	for id, n := range w.ledger(defaultTenant) {
		if n != 1 {
			t.Errorf("%s has %d effects, want 1", id, n)
		}
	}
}
