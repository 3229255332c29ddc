package bus

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
)

// Backlogs estimates how many calls wait in each pool: what the server said
// last, plus what this process has added since.
type Backlogs struct {
	bus *Bus

	mu    sync.RWMutex
	pools map[string]*atomic.Int64
}

// backlogEvery is how often the server is asked; between two answers a pool
// can grow past its bound by what other dispatchers add.
const backlogEvery = 200 * time.Millisecond

// WatchBacklogs follows the pools this process sends to, until ctx ends.
func (b *Bus) WatchBacklogs(ctx context.Context, seen func(pool string, waiting int64)) *Backlogs {
	w := &Backlogs{bus: b, pools: map[string]*atomic.Int64{}}
	go func() {
		tick := time.NewTicker(backlogEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				w.refresh(ctx, seen)
			}
		}
	}()
	return w
}

// Watch starts following a pool, and makes its consumer if no worker has yet:
// one that is there keeps the redelivery clock of its workers.
func (w *Backlogs) Watch(ctx context.Context, pool string) error {
	w.mu.RLock()
	_, ok := w.pools[pool]
	w.mu.RUnlock()
	if ok {
		return nil
	}
	if _, err := w.bus.pending(ctx, pool); err != nil {
		if err := w.bus.EnsurePool(ctx, pool); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pools[pool] == nil {
		w.pools[pool] = new(atomic.Int64)
	}
	return nil
}

// Add counts n more calls for pool and returns how many now wait.
func (w *Backlogs) Add(pool string, n int64) int64 {
	w.mu.RLock()
	c := w.pools[pool]
	w.mu.RUnlock()
	if c == nil {
		return 0
	}
	return c.Add(n)
}

func (w *Backlogs) refresh(ctx context.Context, seen func(string, int64)) {
	w.mu.RLock()
	names := make([]string, 0, len(w.pools))
	for name := range w.pools {
		names = append(names, name)
	}
	w.mu.RUnlock()
	for _, name := range names {
		n, err := w.bus.pending(ctx, name)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				w.bus.log.Debug("backlog not known now", zap.String("pool", name), zap.Error(err))
			}
			continue
		}
		w.mu.RLock()
		w.pools[name].Store(n)
		w.mu.RUnlock()
		if seen != nil {
			seen(name, n)
		}
	}
}

// pending asks the server how many calls of a pool wait for a worker.
func (b *Bus) pending(ctx context.Context, pool string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	reply, err := b.request(ctx, &nats.Msg{Subject: "$JS.API.CONSUMER.INFO." + StreamCalls + "." + pool})
	if err != nil {
		return 0, err
	}
	var info struct {
		NumPending int64 `json:"num_pending"`
		Error      *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &info); err != nil {
		return 0, err
	}
	if info.Error != nil {
		return 0, errors.New(info.Error.Description)
	}
	return info.NumPending, nil
}
