package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
)

const (
	// A copy that failed is tried again after this long, and then twice as
	// long each time, up to the second.
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second
	watchEvery = time.Second
	// askWithin bounds a small question to the database.
	askWithin = 5 * time.Second
)

var (
	errReplaced = errors.New("the index is not of the stream there is")
	// errAgain ends a copy whose stream was replaced or whose database is
	// damaged, as others found.
	errAgain = errors.New("the stream or the database is not what it was")
)

// Run copies records from src, from where the index stopped, until ctx ends; it
// returns the error of ctx and no other. While the database or the stream fails
// it tries again, and says so in the log.
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
		x.log.Warn("audit index: copying failed and is tried again; no record is lost", zap.Error(err), zap.Duration("in", pause))
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

// copy copies until the first error, and tells whether it got anywhere. All
// there is to know for another try is in the database.
func (x *Index) copy(ctx context.Context, src Source) (copied bool, err error) {
	db := x.db // only Run ever changes it
	conn, release, err := db.writer(ctx)
	if err != nil {
		return false, err
	}
	defer release()

	c := &copier{src: src, conn: conn, db: db, again: x.again, hurry: x.hurry}
	err = c.begin(ctx)
	from := c.at
	if err == nil {
		err = c.run(ctx)
	}
	if errors.Is(err, errReplaced) {
		x.log.Warn("audit index: it is not of the stream there is, so it is built anew", zap.Uint64("copied_to", c.at))
		if err := c.clear(ctx); err != nil {
			return false, err
		}
	}
	return c.at > from, err
}

// renew puts an empty database in place of a damaged one.
func (x *Index) renew(ctx context.Context) {
	x.mu.Lock() // when no query uses it
	defer x.mu.Unlock()
	db, err := x.db.renew(ctx)
	if err != nil {
		x.log.Error("audit index: the damaged database cannot be replaced yet", zap.Error(err))
	} else {
		x.db = db
	}
	x.damaged.Store(err != nil)
}

// watch tells how far the index is behind, and notices a stream that ends before
// it. It does so while the database is away, too, and in processes that do not
// copy.
func (x *Index) watch(ctx context.Context, src Source) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var at uint64
	for {
		if err := x.look(ctx, src, &at); err != nil && ctx.Err() == nil {
			x.log.Debug("audit index: its lag is not known", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (x *Index) look(ctx context.Context, src Source, at *uint64) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	// The database first: the stream only grows, so a place it does not reach
	// is none of its own.
	if now, err := x.cursor(ctx); err == nil {
		*at = now
	}
	first, last, err := src.Range(ctx)
	if err != nil {
		return fmt.Errorf("ask the stream: %w", err)
	}
	if last < *at {
		x.beginAnew()
	}
	x.lag(last - min(last, behindFirst(*at, first)))
	return nil
}

// behindFirst is the place up to which there is nothing left to copy: at, or
// the one before the first record that is kept.
func behindFirst(at, first uint64) uint64 {
	if first == 0 {
		return at
	}
	return max(at, first-1)
}
