package callback

import (
	"context"
	"crypto/ed25519"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// Times of sending.
const (
	// Timeout is the time in which a receiver must answer, beside a second for each MiB.
	Timeout = 10 * time.Second
	// LeaseTTL is the time of the lease under which one process sends. When it stops, its
	// attempts may go on for linger, which is shorter than the time after which another
	// process takes over.
	LeaseTTL = 5 * time.Second
	linger   = 3 * time.Second
)

// Sender sends results to their callbacks. One is enough for a system: run it under a lease.
type Sender struct {
	*Service

	// Outcome returns the result element of a call, nil if it has none yet.
	Outcome func(ctx context.Context, tenant, callID string, call queue.Acceptance) ([]byte, error)
	// Alive reports whether a call without a result may be older than any other: it is a program
	// that has not ended. Nil means that no call is.
	Alive func(tenant, callID string) bool
	// HTTP sends a request, and follows no redirect.
	HTTP interface {
		DoOnce(req *http.Request) (*http.Response, error)
	}
	// Key signs what is sent.
	Key ed25519.PrivateKey
	// Trail takes the records of callbacks that were given up.
	Trail interface {
		Write(ctx context.Context, r *protocol.AuditRecord) error
	}
	Metrics *telemetry.Metrics
	Log     *zap.Logger
	// RetryFor is the time from the result on in which attempts are made, and Timeout that
	// of one attempt.
	RetryFor, Timeout time.Duration
	// Dials returns a number that changes with each connection to NATS.
	Dials func() int64

	run atomic.Pointer[run]
}

// Run sends until ctx ends, or until the stored callbacks cannot be followed: call it again
// then. It goes on where the last run, of whatever process, has stopped.
func (s *Sender) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// What has begun goes on for a while when ctx ends.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	r := &run{
		Sender: s, ctx: working, ends: s.Store.WatchEnds(), dials: s.Dials(), wake: make(chan struct{}, 1),
		entries: map[callbacks.Key]*entry{}, calls: map[calledKey]map[*entry]bool{}, lanes: map[laneKey]*lane{},
		memory: semaphore.NewWeighted(bodyMemory), counts: map[string]int{}, marked: map[string]bool{}, marks: make(chan struct{}, 1),
	}
	s.run.Store(r)
	defer s.run.Store(nil)
	followed := make(chan error, 1)
	var watching sync.WaitGroup
	watching.Go(func() {
		followed <- s.Store.Follow(ctx, callbacks.Following{Each: r.learn, Crowded: r.crowdedNow, Read: r.readAll})
	})
	watching.Go(func() { r.keepMarks(ctx) })
	watching.Go(func() { r.ends.Run(ctx, r.ended) })
	err := r.loop(ctx, followed)
	cancel()
	watching.Wait()
	r.close()
	late := time.AfterFunc(linger, stop)
	defer late.Stop()
	r.working.Wait()
	return err
}

// Waiting counts the callbacks whose calls have no result, and the results that are not
// delivered, with the time since when the oldest of these is there: zero if there is none.
// In a process that does not send they are 0.
func (s *Sender) Waiting() (calls, results int, oldest time.Time) {
	if r := s.run.Load(); r != nil {
		return r.waiting()
	}
	return 0, 0, time.Time{}
}
