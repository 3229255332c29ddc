package trail

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// taker notes what a pump has kept.
type taker struct {
	from uint64

	mu      sync.Mutex
	calls   []string
	reached uint64
}

func (k *taker) Begin(context.Context, string, uint64) (uint64, error) { return k.from, nil }

func (k *taker) Take(f *stream.Final, i int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls = append(k.calls, fmt.Sprintf("%s/%s %s", f.Tenant, f.Calls[i], f.Elements[i]))
}

func (k *taker) Reached(seq uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reached = seq
}

func (k *taker) took() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.calls)
}

// TestPumpKeeps: a keeper gets each call once with its result, from the place where the keeper
// begins, also if that is before what is on the trail.
func TestPumpKeeps(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ends(t, q, "a", 2, "acme", "beta")
	first := &taker{}
	stop := pumping(t, q, func(p *Pump) { p.Keeper = first })
	caughtUp(t, q)
	stop()
	all := []string{"acme/a-0 {}", "beta/a-0 {}", "acme/a-1 {}", "beta/a-1 {}"}
	if got := first.took(); !slices.Equal(got, all) || first.reached != 4 {
		t.Errorf("the first keeper got %q up to %d", got, first.reached)
	}
	second := &taker{from: 2}
	stop = pumping(t, q, func(p *Pump) { p.Keeper = second })
	ends(t, q, "b", 1, "acme")
	caughtUp(t, q)
	stop()
	got := second.took()
	if want := append(all[2:], "acme/b-0 {}"); len(got) < 3 || !slices.Equal(got[len(got)-3:], want) {
		t.Errorf("the second keeper got %q, want %q at the end", got, want)
	}
}
