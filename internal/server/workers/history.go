package workers

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/inspect"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/history"
)

// tries bounds the attempts to store a minute that other dispatchers store too, and lastWrite is
// the time that a process which ends has for its last one.
const (
	tries     = 5
	lastWrite = time.Second
)

// recorder counts what the workers do, and stores each minute once it is over.
type recorder struct {
	queue *queue.Queue
	live  *fleet.Fleet
	kept  *history.History
	log   *zap.Logger
	// bucket is nil until it could be read: a process without the permission keeps its own counts.
	bucket *natsio.Bucket
}

// FollowHistory counts what the workers do until life ends, and keeps that with what is stored of
// before. The returned function waits, once life has ended, until the last minute is stored.
func FollowHistory(life context.Context, q *queue.Queue, live *fleet.Fleet, log *zap.Logger) (*history.History, func()) {
	r := &recorder{queue: q, live: live, log: log}
	r.kept = history.New(r.sample(nil))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.run(life)
	}()
	return r.kept, func() { <-ended }
}

func (r *recorder) run(life context.Context) {
	for life.Err() == nil {
		if r.bucket == nil {
			if err := r.load(life); err != nil {
				r.log.Debug("history not read", zap.Error(err))
			}
		}
		now := time.Now()
		next := time.NewTimer(now.Truncate(history.Step).Add(history.Step).Sub(now))
		select {
		case <-life.Done():
			next.Stop()
		case <-next.C:
			r.take(life)
		}
	}
	r.kept.Add(r.sample(nil))
	r.kept.End()
	last, cancel := context.WithTimeout(context.WithoutCancel(life), lastWrite)
	defer cancel()
	r.store(last)
}

// load reads what is stored, and follows it from then on.
func (r *recorder) load(life context.Context) error {
	bucket, err := r.queue.Conn.Bucket(life, streams.BucketHistory)
	if err != nil {
		return err
	}
	if err = r.kept.Load(func() error { return bucket.Follow(life, r.stored) }); err == nil {
		r.bucket = bucket
	}
	return err
}

// take counts what was done since the last time, and stores what is over.
func (r *recorder) take(ctx context.Context) {
	states, err := r.queue.Inspector.Pools(ctx)
	if err != nil {
		r.log.Debug("backlog not known", zap.Error(err))
	}
	r.kept.Add(r.sample(states))
	r.store(ctx)
}

func (r *recorder) sample(states map[string]inspect.Pool) history.Sample {
	return history.Sample{At: time.Now(), Pools: sampled(r.live.Live(), states)}
}

// stored takes a minute of the bucket into the history. What is deleted there has expired.
func (r *recorder) stored(key string, value []byte) {
	if m, ok := history.Decode(key, value); ok {
		r.kept.Stored(m)
	}
}

// store stores the minutes that are over. What fails is tried again after the next sample.
func (r *recorder) store(ctx context.Context) {
	if r.bucket == nil {
		return
	}
	for _, m := range r.kept.Due() {
		if err := r.put(ctx, m); err != nil {
			r.log.Debug("history not stored", zap.Error(err))
			return
		}
		r.kept.Done(m)
	}
}

// put stores a minute, unless the account that is stored already counts in its place.
func (r *recorder) put(ctx context.Context, m history.Minute) error {
	for range tries {
		value, revision, err := r.bucket.GetRevision(ctx, m.Key())
		if err != nil {
			return err
		}
		before, _ := history.Decode(m.Key(), value)
		next, changed := history.Merge(before, m)
		if !changed {
			return nil
		}
		if value, err = next.Encode(); err != nil {
			return err
		}
		if err = r.bucket.PutAt(ctx, m.Key(), value, revision, 0); !errors.Is(err, natsio.ErrExists) {
			return err
		}
	}
	return natsio.ErrExists
}

// sampled returns the state of the pools, without those of single persons.
func sampled(live fleet.Live, states map[string]inspect.Pool) map[string]history.Pool {
	pools := map[string]history.Pool{}
	for name, workers := range live {
		if queue.BasePool(name) != name {
			continue
		}
		var p history.Pool
		for _, w := range workers {
			p.Workers = append(p.Workers, history.Worker{
				ID: w.ID, Since: w.Since, Busy: w.Busy, Slots: w.Slots, Succeeded: w.Ended.Succeeded, Failed: w.Ended.Failed, Times: w.Ended.Times,
			})
		}
		pools[name] = p
	}
	for name, state := range states {
		if queue.BasePool(name) != name {
			continue
		}
		p := pools[name]
		p.Backlog = &state.Backlog
		pools[name] = p
	}
	return pools
}
