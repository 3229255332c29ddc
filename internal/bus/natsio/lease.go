package natsio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// lease is a right that one process at a time holds. No clock of another process is
// trusted: a waiting process takes over when it has itself seen no renewal for a whole
// ttl, and the holder stops before another process can have waited that long.
type lease struct {
	conn *Conn
	kv   jetstream.KeyValue
	name string
	ttl  time.Duration
	// revision is the lease's entry as it was last seen; 0 means there is none.
	revision uint64
	// quiet leases are neither logged nor measured.
	quiet bool
}

var (
	errLeaseTaken = errors.New("another process has the lease")
	errLeaseLost  = errors.New("the lease was lost")
)

// Lease waits until this process has the lease called name and then runs hold.
// The context of hold ends when the lease is lost; hold must then return, and
// the process waits for its turn again. Another process takes over immediately when
// hold has returned, and after ttl when this one died. If hold fails the next holder
// tries again. Lease returns when ctx ends, or with nil when hold has returned nil:
// then the work is done.
//
// A process that was stopped and continues does not notice immediately that its lease
// is lost: hold must be safe to run in two processes.
func (c *Conn) Lease(ctx context.Context, name string, ttl time.Duration, hold func(ctx context.Context) error) error {
	c.state.lease(name, false)
	return (&lease{conn: c, name: name, ttl: ttl}).run(ctx, hold)
}

// Exclusive is [Conn.Lease] for work that each process does for a moment: while a process does
// it, the others wait. It is neither logged nor measured, and the error of hold is returned.
func Exclusive(ctx context.Context, c *Conn, name string, ttl time.Duration, hold func(ctx context.Context) error) error {
	var failed error
	err := (&lease{conn: c, name: name, ttl: ttl, quiet: true}).run(ctx, func(ctx context.Context) error {
		failed = hold(ctx)
		return nil
	})
	return errors.Join(err, failed)
}

func (l *lease) run(ctx context.Context, hold func(context.Context) error) error {
	for ctx.Err() == nil {
		err := l.turn(ctx, hold)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			l.conn.log.Warn("lease not held; trying again", zap.String("lease", l.name), zap.Error(err))
		}
		Pause(ctx, l.ttl/4)
	}
	return context.Cause(ctx)
}

// turn is one attempt: wait for the lease, hold it, release it.
func (l *lease) turn(ctx context.Context, hold func(context.Context) error) (err error) {
	if l.kv == nil {
		if l.kv, err = l.conn.js.KeyValue(ctx, BucketLeases); err != nil {
			l.kv = nil
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	since, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	defer l.release(ctx)
	if !l.quiet {
		l.conn.state.lease(l.name, true)
		defer l.conn.state.lease(l.name, false)
		l.conn.log.Info("lease taken", zap.String("lease", l.name))
	}

	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	done := make(chan error, 1)
	go func() { done <- hold(life) }()
	tick := time.NewTicker(l.ttl / 4)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if life.Err() != nil { // hold had to return
				return context.Cause(life)
			}
			return err
		case <-tick.C:
			if life.Err() != nil {
				continue
			}
			sent := time.Now()
			switch err := l.renew(ctx, since.Add(l.ttl*3/4)); {
			case err == nil:
				since = sent
			case errors.Is(err, errLeaseTaken) || time.Since(since) >= l.ttl/2:
				end(fmt.Errorf("%w: %w", errLeaseLost, err))
			}
		}
	}
}

// acquire waits for the lease. It returns the time from which on no other process
// can hold it for a ttl.
func (l *lease) acquire(ctx context.Context) (since time.Time, err error) {
	l.revision = 0
	remade := Remade(l.conn, BucketStream(BucketLeases))
	watch, err := l.kv.Watch(ctx, l.name)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() { _ = watch.Stop() }()
	silent := time.NewTimer(l.ttl)
	defer silent.Stop()
	for {
		free := false
		select {
		case <-ctx.Done():
			return time.Time{}, context.Cause(ctx)
		case <-remade:
			return time.Time{}, fmt.Errorf("%w: the bucket of leases was made again", ErrUnavailable)
		case <-silent.C:
			free = true
			silent.Reset(l.ttl)
		case e, ok := <-watch.Updates():
			switch {
			case !ok:
				return time.Time{}, fmt.Errorf("%w: the watch ended", ErrUnavailable)
			case e == nil: // the end of the present entries
				free = l.revision == 0
			case e.Operation() == jetstream.KeyValuePut:
				l.revision = e.Revision()
				silent.Reset(l.ttl)
			default:
				l.revision, free = 0, true
			}
		}
		if !free {
			continue
		}
		sent := time.Now()
		err := l.take(ctx)
		if err == nil {
			return sent, nil
		}
		if !errors.Is(err, errLeaseTaken) {
			return time.Time{}, err
		}
	}
}

// take writes the lease over the entry that was last seen.
func (l *lease) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	if l.revision == 0 {
		revision, err := l.kv.Create(ctx, l.name, []byte(l.conn.id))
		return l.wrote(revision, err)
	}
	revision, err := l.kv.Update(ctx, l.name, []byte(l.conn.id), l.revision)
	return l.wrote(revision, err)
}

// renew extends the lease. A renewal after until would be too late.
func (l *lease) renew(ctx context.Context, until time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	revision, err := l.kv.Update(ctx, l.name, []byte(l.conn.id), l.revision)
	return l.wrote(revision, err)
}

func (l *lease) wrote(revision uint64, err error) error {
	switch {
	case err == nil:
		l.revision = revision
		return nil
	case errors.Is(err, jetstream.ErrKeyExists), WrongSequence(err):
		return errLeaseTaken
	default:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
}

// release deletes the lease, so that the next process need not wait.
func (l *lease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.ttl/2)
	defer cancel()
	if err := l.kv.Delete(ctx, l.name, jetstream.LastRevision(l.revision)); err != nil {
		l.conn.log.Debug("lease not released", zap.String("lease", l.name), zap.Error(err))
	}
	l.revision = 0
}

// Pause waits for d, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// BucketLeases is the bucket of all leases.
const BucketLeases = "helve_leases"
