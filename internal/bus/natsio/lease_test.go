package natsio_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// holder is a process that wants a lease.
type holder struct {
	held chan struct{} // it has the lease
	lost chan struct{} // its hold has returned
	done chan error    // Lease has returned
	stop context.CancelFunc
}

func hold(t *testing.T, q *queue.Queue, ttl time.Duration) *holder {
	ctx, cancel := context.WithCancel(t.Context())
	h := &holder{make(chan struct{}, 10), make(chan struct{}, 10), make(chan error, 1), cancel}
	go func() {
		h.done <- q.Conn.Lease(ctx, "job", ttl, func(ctx context.Context) error {
			h.held <- struct{}{}
			<-ctx.Done()
			h.lost <- struct{}{}
			return nil // as one does who was told to return
		})
	}()
	t.Cleanup(cancel)
	return h
}

func TestLeaseIsHeldByOne(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	const ttl = 2 * time.Second // nobody is kept from renewing for so long
	var holding, most atomic.Int32
	var turns atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 4 {
		q := queuetest.Connect(t, srv)
		all.Go(func() {
			_ = q.Conn.Lease(ctx, "job", ttl, func(ctx context.Context) error {
				most.Store(max(most.Load(), holding.Add(1)))
				defer holding.Add(-1)
				turns.Add(1)
				select {
				case <-ctx.Done():
				case <-time.After(ttl / 40):
				}
				return errors.New("let another one")
			})
		})
	}
	queuetest.Until(t, "several turns", func() bool { return turns.Load() >= 8 })
	cancel()
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d held the lease at once, want 1", most.Load())
	}
}

// TestLeaseGoesOnAtOnce: the ttl is longer than the test waits.
func TestLeaseGoesOnAtOnce(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	const ttl = 10 * queuetest.Patience
	one := hold(t, queuetest.Connect(t, srv), ttl)
	queuetest.Receive(t, one.held, "lease of the first")
	two := hold(t, queuetest.Connect(t, srv), ttl)
	one.stop()
	queuetest.Receive(t, one.lost, "end of the first hold")
	if err := queuetest.Receive(t, one.done, "end of the first"); !errors.Is(err, context.Canceled) {
		t.Errorf("Lease = %v, want the context's end", err)
	}
	queuetest.Receive(t, two.held, "lease of the second")
	two.stop()
	queuetest.Receive(t, two.done, "end of the second")
}

// TestDeafHoldersLeaseIsTakenOver: a holder that hears nothing any more stops by
// itself, before another can begin.
func TestDeafHoldersLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	const ttl = 2 * time.Second
	proxy := queuetest.NewLossy(t, srv)
	one := hold(t, queuetest.Connect(t, srv, func(o *queue.Options) { o.URL = proxy.URL }), ttl)
	queuetest.Receive(t, one.held, "lease of the first")
	two := hold(t, queuetest.Connect(t, srv), ttl)
	defer proxy.Mute()()
	queuetest.Receive(t, two.held, "lease of the second")
	select {
	case <-one.lost:
	default:
		t.Error("the second began while the first still held")
	}
}

// TestStolenLeaseEndsTheHold: somebody wrote over it.
func TestStolenLeaseEndsTheHold(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	h := hold(t, q, 200*time.Millisecond)
	queuetest.Receive(t, h.held, "lease")
	leases, err := q.Conn.Bucket(t.Context(), natsio.BucketLeases)
	if err != nil {
		t.Fatal(err)
	}
	if err := leases.Put(t.Context(), "job", []byte("somebody")); err != nil {
		t.Fatal(err)
	}
	queuetest.Receive(t, h.lost, "end of the hold")
	queuetest.Receive(t, h.held, "lease again, as the thief does not renew it")
}

func TestLeaseTriesAgainUntilTheWorkIsDone(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	turns := 0
	err := q.Conn.Lease(queuetest.Context(t), "job", time.Second, func(context.Context) error {
		turns++
		if turns < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if err != nil || turns != 3 {
		t.Errorf("Lease = %v after %d turns, want nil after 3", err, turns)
	}
}

func TestLeaseWaitsForNATS(t *testing.T) {
	t.Parallel()
	q := queuetest.Open(t, queuetest.Server(t)) // nothing is prepared
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- q.Conn.Lease(ctx, "job", 20*time.Millisecond, func(context.Context) error { return nil })
	}()
	if err := q.Prepare(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
	if err := queuetest.Receive(t, done, "end"); err != nil {
		t.Errorf("Lease = %v, want nil once there is a bucket", err)
	}
	cancel()
}
