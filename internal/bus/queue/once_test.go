package queue_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

const writers = 50

// race writes the same record concurrently and returns what each writer got.
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
			case !errors.Is(err, natsio.ErrExists):
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
	srv := queuetest.Server(t)
	one, two := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	pick := func(i int) *queue.Queue { return []*queue.Queue{one, two}[i%2] }
	for round := range 3 {
		id := fmt.Sprint("c", round)
		won, accepted := race(t, func(i int) (*queue.Acceptance, error) {
			return pick(i).Calls.Accept(ctx, "acme", id, queue.Acceptance{Tool: "echo", Origin: fmt.Sprint("d-", i), DeadlineMS: 5})
		})
		storedA, err := two.Calls.Accepted(ctx, "acme", id)
		checkRace(t, won, accepted, storedA, err)

		won, fenced := race(t, func(i int) (*call.Fence, error) {
			return pick(i).Calls.Fence(ctx, "acme", id, call.Fence{By: fmt.Sprint("w-", i), Attempt: 1, AtMS: int64(i)})
		})
		storedF, err := one.Calls.Fenced(ctx, "acme", id)
		checkRace(t, won, fenced, storedF, err)
	}
}

func TestOnceRecordsAreOfOneTenantAndOneKind(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	want := queue.Acceptance{
		Tool: "files.read", ArgsHash: "h", Origin: "d-1", TraceID: "t", ToolCallID: "tc", Pool: "p",
		User: "u", Agent: "a", Conversation: "k", AcceptedMS: 1, DeadlineMS: 2, StartByMS: 3, TimeoutMS: 4,
	}
	if _, err := q.Calls.Accept(ctx, "acme", "c", want); err != nil {
		t.Fatal(err)
	}
	got, err := q.Calls.Accepted(ctx, "acme", "c")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if got, err := q.Calls.Accepted(ctx, "other", "c"); got != nil || err != nil {
		t.Errorf("another tenant's Accepted = %v, %v, want nil, nil", got, err)
	}
	if got, err := q.Calls.Fenced(ctx, "acme", "c"); got != nil || err != nil {
		t.Errorf("Fenced of an accepted call = %v, %v, want nil, nil", got, err)
	}
}

// TestLostAcknowledgementIsRecognised: the record was stored, its writer did not receive
// the acknowledgement, and must not mistake it for another writer's.
func TestLostAcknowledgementIsRecognised(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	proxy := queuetest.NewLossy(t, srv)
	q := queuetest.Connect(t, srv, func(o *queue.Options) { o.URL = proxy.URL })
	ctx := queuetest.Context(t)
	want := call.Fence{By: "w-1", Attempt: 1, AtMS: 7}

	fence := func(rec call.Fence) (*call.Fence, error) {
		proxy.LoseNext(`"stream":"` + streams.Once)
		type answer struct {
			rec *call.Fence
			err error
		}
		done := make(chan answer, 1)
		go func() {
			got, err := q.Calls.Fence(ctx, "acme", "c", rec)
			done <- answer{got, err}
		}()
		queuetest.Receive(t, proxy.Lost, "acknowledgement to lose")
		q.GiveUpAcks()
		a := queuetest.Receive(t, done, "answer")
		return a.rec, a.err
	}
	got, err := fence(want)
	if err != nil || got == nil || *got != want {
		t.Errorf("Fence with a lost acknowledgement = %+v, %v, want %+v as ours", got, err, want)
	}
	// The loss of a refusal must not make another writer's record count as this one's.
	if got, err := fence(call.Fence{By: "w-2", Attempt: 1, AtMS: 7}); !errors.Is(err, natsio.ErrExists) || got == nil || *got != want {
		t.Errorf("Fence of another worker = %+v, %v, want %+v and ErrExists", got, err, want)
	}
	if got, err := q.Calls.Fence(ctx, "acme", "c", want); !errors.Is(err, natsio.ErrExists) || *got != want {
		t.Errorf("a second Fence = %+v, %v, want ErrExists: it was started before", got, err)
	}
}

func TestOnceFailsClearlyWithoutNATS(t *testing.T) {
	t.Parallel()
	q := queuetest.Open(t, queuetest.Server(t)) // without Prepare
	if _, err := q.Calls.Accept(queuetest.Context(t), "acme", "c", queue.Acceptance{}); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Accept without a stream = %v, want ErrUnavailable", err)
	}
	if _, err := q.Calls.Accepted(queuetest.Context(t), "acme", "c"); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Accepted without a stream = %v, want ErrUnavailable", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Calls.Fence(ended, "acme", "c", call.Fence{}); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Fence with an ended context = %v, want ErrUnavailable", err)
	}
}
