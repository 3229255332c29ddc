package services

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/tool"
)

// TestClockAnHourOff: a worker whose clock is ahead takes every token for expired. It uses the
// token that the dispatcher returns, and asks once for each call. A worker whose clock is
// behind learns from the service's refusal (TestRefresh).
func TestClockAnHourOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.registered()
	r, _ := w.reader(w.Keys, nil)
	over := account(id, "at-valid", -30*time.Minute) // by the worker's clock
	over.Life = time.Hour
	d := &dispatcher{world: w, next: over}
	r.Accounts = d
	if err := w.Connect(t.Context(), "acme", "ann", "cloud", over); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the registration is there", func() bool { return r.registration("acme", "cloud") != nil })
	for n := range 3 {
		entries, err := r.For("acme", "ann").Entries(t.Context(), "cloud")
		if err != nil || len(entries) != 1 || entries[0].Data[tool.AccessToken] != "at-valid" || len(d.asked) != n+1 {
			t.Errorf("Entries = %v, %v after %d requests", entries, err, len(d.asked))
		}
	}
}
