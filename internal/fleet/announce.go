package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
)

const (
	// leaveTime bounds the last announcement of a worker that stops.
	leaveTime = time.Second
	// backLook is the interval at which an announcer without NATS checks whether it is
	// back.
	backLook = 250 * time.Millisecond
	// kindLife is the time for which a list of tools is kept if no worker repeats it,
	// and kindAgain the interval at which a worker repeats its lists.
	kindLife  = time.Hour
	kindAgain = 15 * time.Minute
)

// Announcer stores that a worker takes calls of pools, and repeats it.
//
// Each pool has an entry, because a worker's credential names its pools: it cannot
// announce a worker to others. The list of the tools is stored once for all workers
// with the same tools; an entry refers to it by its hash, so that the entry stays
// small.
type Announcer struct {
	queue  *queue.Queue
	bucket *natsio.Bucket
	self   Worker
	load   func(pool string) queue.Load
	log    *zap.Logger
	stop   context.CancelFunc
	ended  chan struct{}

	mu       sync.Mutex
	pools    map[string]*Kind
	unlisted bool // the lists are not stored, or may be lost
	left     bool
}

// Announce announces a worker with the tools it has in each of its pools, and repeats
// that until ctx ends or Leave is called. Load returns its present work in a pool.
func Announce(
	ctx context.Context, q *queue.Queue, w Worker, pools map[string]*Kind, load func(pool string) queue.Load, log *zap.Logger,
) (*Announcer, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketWorkers)
	if err != nil {
		return nil, err
	}
	a := &Announcer{queue: q, bucket: bucket, self: w, load: load, log: log, pools: pools, unlisted: true, ended: make(chan struct{})}
	if err := a.put(ctx); err != nil {
		return nil, err
	}
	ctx, a.stop = context.WithCancel(ctx)
	go a.repeat(ctx)
	return a, nil
}

// Offer announces that the worker now has other tools.
func (a *Announcer) Offer(ctx context.Context, pools map[string]*Kind) error {
	a.mu.Lock()
	a.pools, a.unlisted = pools, true
	a.mu.Unlock()
	return a.put(ctx)
}

// Repeat announces the worker immediately, because its state has changed.
func (a *Announcer) Repeat(ctx context.Context) error { return a.put(ctx) }

// Rehome announces that the worker has another lane in a pool.
func (a *Announcer) Rehome(ctx context.Context, pool, home string) error {
	a.mu.Lock()
	homes := maps.Clone(a.self.Homes)
	homes[pool] = home
	a.self.Homes = homes
	a.mu.Unlock()
	return a.put(ctx)
}

// Leave announces that the worker takes no more calls, immediately if NATS can be
// reached: others need not wait until the entries expire.
func (a *Announcer) Leave(ctx context.Context) {
	a.stop()
	<-a.ended
	a.mu.Lock()
	a.left = true
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	if err := a.put(ctx); err != nil {
		a.log.Debug("worker departure not announced; its entries expire", zap.Error(err))
	}
}

// put stores the entries, and before them the lists that are not stored: an entry
// without its list does not announce tools.
func (a *Announcer) put(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, pool := range slices.Sorted(maps.Keys(a.pools)) {
		kind := a.pools[pool]
		if kind != nil && a.unlisted && !a.left {
			if err := a.bucket.PutFor(ctx, pool+"."+kindMark+kind.Hash, kind.encoded, kindLife); err != nil {
				return fmt.Errorf("announce the tools of pool %s: %w", pool, err)
			}
		}
		w, load := a.self, a.load(pool)
		w.Left, w.Busy, w.Started, w.Paused, w.Home, w.Ended = a.left, load.Busy, load.Started, load.Paused, a.self.Homes[pool], load.Ended
		w.OpenCircuits, w.RulesRefused, w.Calls = load.OpenCircuits, load.RulesRefused, load.Calls
		if kind != nil {
			w.Kind = kind.Hash
		}
		value, err := json.Marshal(w)
		if err != nil {
			return err
		}
		if err := a.bucket.PutFor(ctx, pool+"."+w.ID, value, workerLife); err != nil {
			return fmt.Errorf("announce the worker to pool %s: %w", pool, err)
		}
	}
	a.unlisted = false
	return nil
}

// relist makes the next put store the lists too.
func (a *Announcer) relist() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unlisted = true
}

// repeat repeats the announcement, immediately when NATS is back, and logs the first
// failure of a series.
func (a *Announcer) repeat(ctx context.Context) {
	defer close(a.ended)
	next, lists := time.NewTimer(workerAgain), time.NewTicker(kindAgain)
	defer next.Stop()
	defer lists.Stop()
	since, failed := a.queue.Conn.ConnectedSince(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-lists.C:
			a.relist()
			continue
		case <-next.C:
		}
		now := a.queue.Conn.ConnectedSince()
		if now.IsZero() {
			next.Reset(backLook)
			continue
		}
		if !now.Equal(since) { // a server that was away may have lost its data
			since = now
			a.relist()
		}
		bounded, cancel := context.WithTimeout(ctx, workerAgain)
		err := a.put(bounded)
		cancel()
		if err != nil && !failed && ctx.Err() == nil {
			a.log.Warn("worker not announced; trying again", zap.Error(err))
		}
		failed = err != nil
		next.Reset(workerAgain)
	}
}
