package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/consent/store"
)

func TestTokenIsSpentOnce(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	buses, ctx := []*queue.Queue{queuetest.Connect(t, srv), queuetest.Connect(t, srv)}, queuetest.Context(t)
	for race := range 50 {
		var all sync.WaitGroup
		var mu sync.Mutex
		won := []int{}
		for call := range 20 {
			all.Go(func() {
				ok, err := store.On(buses[call%2]).Spend(ctx, "acme", fmt.Sprint("token", race), fmt.Sprint("call", call))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				} else if ok {
					won = append(won, call)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Fatalf("race %d: calls %v spent one token, want one of them", race, won)
		}
		if ok, err := store.On(buses[0]).Spend(ctx, "acme", fmt.Sprint("token", race), fmt.Sprint("call", won[0])); !ok || err != nil {
			t.Errorf("the call that spent it asks again: %v, %v, want true", ok, err)
		}
	}
	if ok, err := store.On(buses[0]).Spend(ctx, "acme", "not.a.name", "c"); ok || err != nil {
		t.Errorf("an id that cannot be one of ours: %v, %v, want false", ok, err)
	}
}

func TestNoteAsked(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	s := store.On(q)
	for range 2 { // again is no error
		if err := s.NoteAsked(ctx, "acme", "k1"); err != nil {
			t.Fatal(err)
		}
	}
	for consent, want := range map[string]bool{"k1": true, "k2": false} {
		if asked, err := s.WasAsked(ctx, "acme", consent); asked != want || err != nil {
			t.Errorf("WasAsked(%s) = %v, %v, want %v", consent, asked, err, want)
		}
	}
	if asked, err := s.WasAsked(ctx, "beta", "k1"); asked || err != nil {
		t.Errorf("another tenant's WasAsked = %v, %v, want false", asked, err)
	}
}
