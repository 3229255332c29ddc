package queue

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// Backlogs estimates the number of calls that wait in each pool, in all its lanes: the
// server's last count, plus the calls this process has added since.
type Backlogs struct {
	queue *core
	seen  func(PoolBacklog)

	mu    sync.RWMutex
	pools map[string]*backlog
}

// PoolBacklog is the calls that wait in a pool.
type PoolBacklog struct {
	Pool  string
	Calls int64
	// Oldest is when the oldest of them was queued; zero if none waits, or before it was
	// determined.
	Oldest time.Time
}

// backlog is one pool.
type backlog struct {
	waiting atomic.Int64
	// stored is the number in the server's last answer.
	stored atomic.Int64
	// lanes is the number of calls waiting in each lane. Only refresh uses it, and next,
	// the lane that is checked besides those in which calls wait.
	lanes []int64
	next  int
	// rotated is the number of lanes, from the first, that take turns at next. Lanes of one
	// worker are checked if this process has put calls into them.
	rotated int
	// used marks lanes that this process has put calls into since they were checked.
	names []string
	used  []atomic.Bool
	// oldest is when the oldest waiting call was queued, aged when that was determined.
	oldest, aged time.Time
	// delivered is the place of the last call of each lane that was delivered.
	delivered []uint64
}

// backlogEvery is the time between two requests to the server; between two answers a pool
// can grow past its bound by calls that other dispatchers add.
const backlogEvery = 200 * time.Millisecond

// WatchBacklogs follows the pools this process sends to, until ctx ends. Seen, if it is not
// nil, is called with the calls that wait in a pool.
func (b *Calls) WatchBacklogs(ctx context.Context, seen func(PoolBacklog)) *Backlogs {
	if seen == nil {
		seen = func(PoolBacklog) {}
	}
	w := &Backlogs{queue: b.core, seen: seen, pools: map[string]*backlog{}}
	go func() {
		tick := time.NewTicker(backlogEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				w.refresh(ctx)
			}
		}
	}()
	return w
}

// Watch starts following a pool, and makes its consumer if no worker has yet: an existing
// one keeps the redelivery time of its workers.
func (w *Backlogs) Watch(ctx context.Context, pool string) error {
	w.mu.RLock()
	_, ok := w.pools[pool]
	w.mu.RUnlock()
	if ok {
		return nil
	}
	names := lanes() // they are made in this order
	if _, err := w.queue.laneInfo(ctx, laneToken(pool, names[len(names)-1])); err != nil {
		if err := w.queue.ensurePool(ctx, pool); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pools[pool] == nil {
		w.pools[pool] = newBacklog()
	}
	return nil
}

func newBacklog() *backlog {
	names := lanes()
	for i := range kindLanes {
		names = append(names, KindLane(uint64(i)))
	}
	rotated := len(names)
	for n := range HomeLanes {
		names = append(names, homeLanes(HomeLane(n))...)
	}
	return &backlog{
		rotated:   rotated,
		names:     names,
		lanes:     make([]int64, len(names)),
		delivered: make([]uint64, len(names)),
		used:      make([]atomic.Bool, len(names)),
	}
}

// Add counts n more calls for pool and returns the number that now wait.
func (w *Backlogs) Add(pool string, n int64) int64 {
	w.mu.RLock()
	p := w.pools[pool]
	w.mu.RUnlock()
	if p == nil {
		return 0
	}
	return p.waiting.Add(n)
}

// Empty reports whether no call waited in a pool according to the server's last answer.
func (w *Backlogs) Empty(pool string) bool {
	w.mu.RLock()
	p := w.pools[pool]
	w.mu.RUnlock()
	return p != nil && p.stored.Load() == 0
}

func (w *Backlogs) refresh(ctx context.Context) {
	w.mu.RLock()
	pools := maps.Clone(w.pools)
	w.mu.RUnlock()
	if len(pools) == 0 {
		return
	}
	// One request instead of two for each pool while no call is queued.
	empty := w.queue.queueEmpty(ctx)
	for name, p := range pools {
		if !empty {
			w.look(ctx, name, p)
			continue
		}
		clear(p.lanes)
		p.waiting.Store(0)
		p.stored.Store(0)
		p.oldest = time.Time{}
		w.seen(PoolBacklog{Pool: name})
	}
}

// queueEmpty reports whether the server counts no call as queued or held by a worker.
func (b *core) queueEmpty(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	reply, err := b.conn.Request(ctx, &nats.Msg{Subject: b.conn.API() + "STREAM.INFO." + streams.Calls})
	if err != nil {
		return false
	}
	var info struct {
		State *struct {
			Messages int64 `json:"messages"`
		} `json:"state"`
	}
	return json.Unmarshal(reply.Data, &info) == nil && info.State != nil && info.State.Messages == 0
}

// look reads the quick lane, the lanes in which calls waited, and one more: a request for
// each lane would cost an idle server more than it gains.
func (w *Backlogs) look(ctx context.Context, pool string, p *backlog) {
	p.next = p.next%(p.rotated-1) + 1
	var sum int64
	for i, lane := range p.names {
		if used := p.used[i].Swap(false); used || i == 0 || i == p.next || p.lanes[i] > 0 {
			info, err := w.queue.laneInfo(ctx, laneToken(pool, lane))
			if err != nil && info.Error == nil { // otherwise there was no worker of that kind yet
				if !errors.Is(err, context.Canceled) {
					w.queue.log.Debug("backlog not known now", zap.String("pool", pool), zap.String("lane", lane), zap.Error(err))
				}
				return
			}
			p.lanes[i], p.delivered[i] = info.NumPending, info.Delivered.Stream
		}
		sum += p.lanes[i]
	}
	p.waiting.Store(sum)
	p.stored.Store(sum)
	w.age(ctx, pool, p, sum)
	w.seen(PoolBacklog{Pool: pool, Calls: sum, Oldest: p.oldest})
}

// ageEvery is the time between two readings of the oldest call of a pool: it reads a whole
// call of each lane in which calls wait.
const ageEvery = 2 * time.Second

// age determines when the oldest of sum waiting calls was queued.
func (w *Backlogs) age(ctx context.Context, pool string, p *backlog, sum int64) {
	now := time.Now()
	if sum == 0 {
		p.oldest = time.Time{}
		return
	}
	if now.Sub(p.aged) < ageEvery {
		return
	}
	var oldest time.Time
	for i, lane := range p.names {
		if p.lanes[i] == 0 {
			continue
		}
		queued, err := w.queue.queuedAt(ctx, laneToken(pool, lane), p.delivered[i]+1)
		if err != nil {
			w.queue.log.Debug("age of a backlog not known now", zap.String("pool", pool), zap.String("lane", lane), zap.Error(err))
			return
		}
		if !queued.IsZero() && (oldest.IsZero() || queued.Before(oldest)) {
			oldest = queued
		}
	}
	p.oldest, p.aged = oldest, now
}

// queuedAt returns when the first call of a lane at a place or later was queued, zero if
// there is none.
func (b *core) queuedAt(ctx context.Context, lane string, from uint64) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	request, err := json.Marshal(map[string]any{"seq": from, "next_by_subj": b.subj.Of("*", "call", lane, ">")})
	if err != nil {
		return time.Time{}, err
	}
	reply, err := b.conn.Request(ctx, &nats.Msg{Subject: b.conn.API() + "STREAM.MSG.GET." + streams.Calls, Data: request})
	if err != nil {
		return time.Time{}, err
	}
	var found struct {
		Message struct {
			Time time.Time `json:"time"`
		} `json:"message"`
	}
	err = json.Unmarshal(reply.Data, &found)
	return found.Message.Time, err
}

// Spilled records that a call goes to a lane other than the quick one, so that the lane is
// checked.
func (w *Backlogs) Spilled(pool, lane string) {
	w.mu.RLock()
	p := w.pools[pool]
	w.mu.RUnlock()
	if p == nil {
		return
	}
	if i := slices.Index(p.names, lane); i > 0 {
		p.used[i].Store(true)
	}
}

// laneInfo is the state of a lane in the server's answer.
type laneInfo struct {
	// NumPending is the number of waiting calls, NumWaiting the number of waiting requests
	// for calls.
	NumPending int64 `json:"num_pending"`
	NumWaiting int   `json:"num_waiting"`
	Delivered  struct {
		Stream uint64 `json:"stream_seq"`
	} `json:"delivered"`
	Error *struct {
		Description string `json:"description"`
	} `json:"error"`
}

// laneInfo reads the state of a lane's consumer.
func (b *core) laneInfo(ctx context.Context, consumer string) (laneInfo, error) {
	var info laneInfo
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	reply, err := b.conn.Request(ctx, &nats.Msg{Subject: b.conn.API() + "CONSUMER.INFO." + streams.Calls + "." + consumer})
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(reply.Data, &info); err != nil {
		return info, err
	}
	if info.Error != nil {
		return info, errors.New(info.Error.Description)
	}
	return info, nil
}
