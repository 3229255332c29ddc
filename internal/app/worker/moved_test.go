package worker_test

import (
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestMovedCallDoesNotWait: a call that another worker moved here before it started runs
// without probes for its owner, which take 150 ms if there is none. A call that was
// delivered before does not.
func TestMovedCallDoesNotWait(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mutates bool
		lost    int
		asks    bool
	}{
		"a read":            {},
		"an effect":         {mutates: true},
		"a read, again":     {lost: 1, asks: true},
		"an effect, again ": {mutates: true, lost: 1, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			nc, err := nats.Connect(w.cfg.NATS.URL)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(nc.Close)
			probes, err := nc.SubscribeSync("helve.v1." + tenant + ".probe.>")
			if err != nil {
				t.Fatal(err)
			}
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			w.mutates, w.moves = tt.mutates, 1
			w.enqueue("c", 0)
			w.fail(tt.lost)
			w.start()
			close(w.leave)
			queuetest.Receive(t, w.entered, "call at its tool")
			w.emptied()
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			if n, _, err := probes.Pending(); err != nil || (n > 0) != tt.asks {
				t.Errorf("%d questions who has the call, %v; want some: %v", n, err, tt.asks)
			}
		})
	}
}
