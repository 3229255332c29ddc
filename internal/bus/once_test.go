package bus_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

const writers = 50

// race lets many write the same record and returns what each of them got.
func race[T any](t *testing.T, write func(i int) (*T, error)) (won int64, records []T) {
	t.Helper()
	var all sync.WaitGroup
	var wins atomic.Int64
	records = make([]T, writers)
	for i := range writers {
		all.Go(func() {
			got, err := write(i)
			switch {
			case err == nil:
				wins.Add(1)
			case !errors.Is(err, bus.ErrExists):
				t.Errorf("writer %d: %v, want nil or ErrExists", i, err)
				return
			}
			records[i] = *got
		})
	}
	all.Wait()
	return wins.Load(), records
}

func checkRace[T comparable](t *testing.T, won int64, records []T, stored *T, err error) {
	t.Helper()
	if won != 1 {
		t.Errorf("%d writers won, want exactly 1", won)
	}
	if err != nil || stored == nil {
		t.Fatalf("the stored record = %v, %v", stored, err)
	}
	for i, got := range records {
		if got != *stored {
			t.Errorf("writer %d was given %+v, want the stored %+v", i, got, *stored)
		}
	}
}

func TestAcceptAndFenceHappenOnce(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	one, two := bustest.Connect(t, srv), bustest.Connect(t, srv)
	ctx := bustest.Context(t)
	pick := func(i int) *bus.Bus { return []*bus.Bus{one, two}[i%2] }
	for round := range 3 {
		id := fmt.Sprint("c", round)
		won, accepted := race(t, func(i int) (*bus.Acceptance, error) {
			return pick(i).Accept(ctx, "acme", id, bus.Acceptance{Tool: "echo", Origin: fmt.Sprint("d-", i), DeadlineMS: 5})
		})
		storedA, err := two.Accepted(ctx, "acme", id)
		checkRace(t, won, accepted, storedA, err)

		won, fenced := race(t, func(i int) (*bus.Fence, error) {
			return pick(i).Fence(ctx, "acme", id, bus.Fence{By: fmt.Sprint("w-", i), Attempt: 1, AtMS: int64(i)})
		})
		storedF, err := one.Fenced(ctx, "acme", id)
		checkRace(t, won, fenced, storedF, err)
	}
}

func TestOnceRecordsAreOfOneTenantAndOneKind(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	ctx := bustest.Context(t)
	want := bus.Acceptance{
		Tool: "files.read", ArgsHash: "h", Origin: "d-1", TraceID: "t", ToolCallID: "tc", Pool: "p",
		User: "u", Agent: "a", Conversation: "k", AcceptedMS: 1, DeadlineMS: 2, StartByMS: 3, TimeoutMS: 4,
	}
	if _, err := b.Accept(ctx, "acme", "c", want); err != nil {
		t.Fatal(err)
	}
	got, err := b.Accepted(ctx, "acme", "c")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if got, err := b.Accepted(ctx, "other", "c"); got != nil || err != nil {
		t.Errorf("another tenant's Accepted = %v, %v, want nil, nil", got, err)
	}
	if got, err := b.Fenced(ctx, "acme", "c"); got != nil || err != nil {
		t.Errorf("Fenced of an accepted call = %v, %v, want nil, nil", got, err)
	}
}

// TestLostAcknowledgementIsRecognised: the record was stored, its writer did
// not hear so, and must not take it for somebody else's.
func TestLostAcknowledgementIsRecognised(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	proxy := newLossy(t, srv)
	b := bustest.Connect(t, srv, func(o *bus.Options) { o.URL = proxy.URL })
	ctx := bustest.Context(t)
	want := bus.Fence{By: "w-1", Attempt: 1, AtMS: 7}

	fence := func(rec bus.Fence) (*bus.Fence, error) {
		proxy.LoseNext(`"stream":"` + bus.StreamOnce)
		type answer struct {
			rec *bus.Fence
			err error
		}
		done := make(chan answer, 1)
		go func() {
			got, err := b.Fence(ctx, "acme", "c", rec)
			done <- answer{got, err}
		}()
		bustest.Receive(t, proxy.Lost, "acknowledgement to lose")
		b.GiveUpAcks()
		a := bustest.Receive(t, done, "answer")
		return a.rec, a.err
	}
	got, err := fence(want)
	if err != nil || got == nil || *got != want {
		t.Errorf("Fence with a lost acknowledgement = %+v, %v, want %+v as ours", got, err, want)
	}
	// The same loss of a refusal must not turn another's record into ours.
	if got, err := fence(bus.Fence{By: "w-2", Attempt: 1, AtMS: 7}); !errors.Is(err, bus.ErrExists) || got == nil || *got != want {
		t.Errorf("Fence of another worker = %+v, %v, want %+v and ErrExists", got, err, want)
	}
	if got, err := b.Fence(ctx, "acme", "c", want); !errors.Is(err, bus.ErrExists) || *got != want {
		t.Errorf("a second Fence = %+v, %v, want ErrExists: it was started before", got, err)
	}
}

func TestOnceFailsClearlyWithoutNATS(t *testing.T) {
	t.Parallel()
	b := bustest.Open(t, bustest.Server(t)) // nothing is prepared
	if _, err := b.Accept(bustest.Context(t), "acme", "c", bus.Acceptance{}); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Accept without a stream = %v, want ErrUnavailable", err)
	}
	if _, err := b.Accepted(bustest.Context(t), "acme", "c"); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Accepted without a stream = %v, want ErrUnavailable", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Fence(ended, "acme", "c", bus.Fence{}); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Fence with an ended context = %v, want ErrUnavailable", err)
	}
}
