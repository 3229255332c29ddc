package affinity_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
)

// homes are the workers of every pool, which a test may change.
type homes struct {
	mu  sync.Mutex
	all []fleet.Worker
}

// Homes implements [affinity.Homes].
func (h *homes) Homes(string) []fleet.Worker {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all
}

func (h *homes) set(all ...fleet.Worker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = all
}

func worker(n int, workspace string) fleet.Worker {
	return fleet.Worker{ID: fmt.Sprintf("w-%d", n), Workspace: workspace, Slots: 4, Home: queue.HomeLane(n)}
}

func home(t *testing.T, b *affinity.Binder, user string) affinity.Home {
	t.Helper()
	h, ok, err := b.Home(queuetest.Context(t), "default", affinity.Person{Tenant: "acme", User: user}, "look", "")
	if err != nil || !ok {
		t.Fatalf("Home(%s) = %v, %v, %v", user, h, ok, err)
	}
	return h
}

// TestTwoBindersAgree: processes that bind the same persons at the same time, and know of
// different workers, bind each of them once.
func TestTwoBindersAgree(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	h := &homes{}
	h.set(worker(1, "A"), worker(2, "B"), worker(3, "C"))
	other := &homes{} // sees the workers in another order of weight, so that it chooses differently
	heavy := worker(1, "A")
	heavy.Slots = 1000
	other.set(heavy, worker(2, "B"), worker(3, "C"))
	binders := make([]*affinity.Binder, 6)
	for i := range binders {
		of := h
		if i%2 > 0 {
			of = other
		}
		var err error
		if i == 0 { // as a worker has it
			binders[i], err = affinity.Open(queuetest.Context(t), queuetest.Connect(t, srv), of)
		} else {
			binders[i], err = affinity.Follow(context.Background(), queuetest.Connect(t, srv), of)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	got := make([][]affinity.Home, len(binders))
	var all sync.WaitGroup
	for i, b := range binders {
		got[i] = make([]affinity.Home, 40)
		all.Go(func() {
			for n := range got[i] {
				got[i][n] = home(t, b, fmt.Sprintf("u%d", n))
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for n := range got[0] {
		for i := range got {
			if got[i][n] != got[0][n] || got[i][n].Moved {
				t.Errorf("u%d is at %v and at %v", n, got[0][n], got[i][n])
			}
		}
		seen[got[0][n].Worker] = true
	}
	if len(seen) != 3 {
		t.Errorf("persons are on %d workers, want 3", len(seen))
	}
}

// TestHomeMoves: a person moves when the worker is gone, to a worker with the same
// workspaces if there is one; only a move to other workspaces is told.
func TestHomeMoves(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	h := &homes{}
	h.set(worker(1, "A"))
	one, err := affinity.Follow(context.Background(), queuetest.Connect(t, srv), h)
	if err != nil {
		t.Fatal(err)
	}
	two, err := affinity.Open(queuetest.Context(t), queuetest.Connect(t, srv), h)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name  string
		homes []fleet.Worker
		want  affinity.Home
	}{
		{"the only worker", []fleet.Worker{worker(1, "A")}, affinity.Home{Worker: "w-1", Lane: "w1"}},
		{"more workers", []fleet.Worker{worker(1, "A"), worker(2, "B"), worker(3, "C")}, affinity.Home{Worker: "w-1", Lane: "w1"}},
		{
			"a restart on the same workspaces", []fleet.Worker{worker(2, "B"), worker(3, "C"), worker(4, "A")},
			affinity.Home{Worker: "w-4", Lane: "w4"},
		},
		{"other workspaces", []fleet.Worker{worker(2, "B")}, affinity.Home{Worker: "w-2", Lane: "w2", Moved: true}},
		{"the worker of before", []fleet.Worker{worker(2, "B"), worker(4, "A")}, affinity.Home{Worker: "w-2", Lane: "w2", Moved: true}},
	} {
		h.set(step.homes...)
		for i, b := range []*affinity.Binder{one, two} {
			if got := home(t, b, "ann"); got != step.want {
				t.Errorf("%s: binder %d has %+v, want %+v", step.name, i, got, step.want)
			}
		}
	}
	h.set()
	if _, ok, err := one.Home(queuetest.Context(t), "default", affinity.Person{Tenant: "acme", User: "ann"}, "look", ""); ok || err != nil {
		t.Errorf("without workers: %v, %v", ok, err)
	}
}

// TestClaims: each worker of a pool has a lane of its own, and there is an end of them.
func TestClaims(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	taken := map[string]*affinity.Claim{}
	for n := range queue.HomeLanes {
		c, err := affinity.NewClaim(ctx, q, "default", fmt.Sprintf("w-%d", n), "A")
		if err != nil {
			t.Fatal(err)
		}
		if taken[c.Home()] != nil {
			t.Fatalf("lane %s is taken twice", c.Home())
		}
		taken[c.Home()] = c
	}
	if _, err := affinity.NewClaim(ctx, q, "default", "w-more", "A"); err == nil {
		t.Error("there is a lane for one more worker")
	}
	if _, err := affinity.NewClaim(ctx, q, "gpu", "w-0", "A"); err != nil {
		t.Errorf("a lane of another pool: %v", err)
	}
	if err := taken["w7"].Leave(ctx); err != nil {
		t.Fatal(err)
	}
	c, err := affinity.NewClaim(ctx, q, "default", "w-more", "A")
	if err != nil || c.Home() != "w7" {
		t.Errorf("after a worker left: %v, %v, want its lane", c, err)
	}
}
