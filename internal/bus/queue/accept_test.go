package queue_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestAcceptAfterRelease: a call_id whose acceptance was taken back can be accepted again,
// any number of times, and a call_id with a valid acceptance cannot.
func TestAcceptAfterRelease(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	ctx := queuetest.Context(t)
	a, q := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	for n := range 3 {
		rec, err := a.Calls.Accept(ctx, "acme", "c", queue.Acceptance{Tool: fmt.Sprintf("t%d", n), Origin: "a"})
		if err != nil || rec.Generation != n {
			t.Fatalf("acceptance %d = %+v, %v", n, rec, err)
		}
		if got, err := q.Calls.Accept(ctx, "acme", "c", queue.Acceptance{Tool: "other", Origin: "b"}); !errors.Is(err, natsio.ErrExists) ||
			*got != *rec {
			t.Errorf("a second acceptance = %+v, %v, want the first and %v", got, err, natsio.ErrExists)
		}
		if got, err := q.Calls.Accepted(ctx, "acme", "c"); err != nil || got == nil || *got != *rec {
			t.Errorf("Accepted = %+v, %v, want %+v", got, err, rec)
		}
		for range 2 {
			if err := a.Calls.Release(ctx, "acme", "c", rec); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := q.Calls.Accepted(ctx, "acme", "c"); got != nil || err != nil {
			t.Errorf("Accepted after the release = %+v, %v, want none", got, err)
		}
	}
}
