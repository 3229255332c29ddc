package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
)

const (
	// The delays between attempts of a failed copy: the first one is doubled each time,
	// up to the second.
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second
	watchEvery = time.Second
	// askWithin limits a small query to the database.
	askWithin = 5 * time.Second
)

var (
	errReplaced = errors.New("the index is not of the stream there is")
	// errAgain ends a copy after another goroutine found that the stream was replaced
	// or the database is damaged.
	errAgain = errors.New("the stream or the database is not what it was")
)

// Run copies records from src, from the place where the index stopped, until ctx ends;
// it returns only ctx's error. While the database or the stream fails it tries again,
// and logs the failure.
func (x *Index) Run(ctx context.Context, src Source) error {
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		x.watch(ctx, src)
	}()
	defer func() { <-watching }()

	for pause := retryFirst; ; {
		copied, err := x.copy(ctx, src)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, errReplaced) {
			continue // it is empty now
		}
		if copied {
			pause = retryFirst
		}
		x.reportFailure(err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, retryMost)
		if x.damaged.Load() || x.db.broken(err) {
			x.renew(ctx)
		}
	}
}

// reportFailure reports a change, as works does: a database that is away for an hour is one
// log line.
func (x *Index) reportFailure(err error) {
	if x.failing == nil {
		x.log.Warn("audit index copy failed; retrying, no record is lost", zap.Error(err), zap.Duration("at_most_every", retryMost))
		x.state(err)
	}
	x.failing = err
}

func (x *Index) works() {
	if x.failing != nil {
		x.log.Info("audit index copy resumed")
		x.state(nil)
	}
	x.failing = nil
}

// copy copies until the first error, and reports whether it made progress. The state
// for the next attempt is in the database.
func (x *Index) copy(ctx context.Context, src Source) (copied bool, err error) {
	db := x.db // only Run changes it
	conn, release, err := db.writer(ctx)
	if err != nil {
		return false, err
	}
	defer release()

	c := newCopier(src, conn, db)
	c.again, c.hurry = x.again, x.hurry
	err = c.begin(ctx)
	from := c.seq
	if err == nil {
		x.works()
		err = c.run(ctx)
	}
	if errors.Is(err, errDamaged) {
		x.log.Warn("audit index damaged; copying all records again", zap.Error(err))
		if err := c.clear(ctx); err != nil {
			return false, err
		}
	}
	if errors.Is(err, errReplaced) {
		x.log.Warn("audit index belongs to another stream; rebuilding it", zap.Uint64("copied_to", c.seq))
		if err := c.clear(ctx); err != nil {
			return false, err
		}
	}
	return c.seq > from, err
}

// renew replaces a damaged database by an empty one.
func (x *Index) renew(ctx context.Context) {
	x.mu.Lock() // when no query uses it
	defer x.mu.Unlock()
	db, err := x.db.renew(ctx)
	if err != nil {
		x.log.Error("damaged audit index not replaced; retrying", zap.Error(err))
	} else {
		x.db = db
	}
	x.damaged.Store(err != nil)
}

// watch measures the lag of the index, and detects a stream that ends before it. It
// does so even while the database is unreachable, and in processes that do not copy.
func (x *Index) watch(ctx context.Context, src Source) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var at uint64
	for {
		if err := x.measure(ctx, src, &at); err != nil && ctx.Err() == nil {
			x.log.Debug("audit index lag unknown", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (x *Index) measure(ctx context.Context, src Source, at *uint64) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	// The database first: the stream only grows, so a place beyond its end belongs to
	// another stream.
	if now, err := x.copied(ctx); err == nil {
		*at = now
	}
	first, last, err := src.Range(ctx)
	if err != nil {
		return fmt.Errorf("ask the stream: %w", err)
	}
	if last < *at {
		x.startOver()
	}
	x.lag(last - min(last, behindFirst(*at, first)))
	return nil
}

// behindFirst returns the place up to which nothing remains to be copied: at, or the
// place before the first kept record.
func behindFirst(at, first uint64) uint64 {
	if first == 0 {
		return at
	}
	return max(at, first-1)
}
