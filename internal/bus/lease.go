package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// lease is what only one process at a time has. No clock of another process is
// trusted: who waits takes over when it has itself seen no renewal for a whole
// ttl, and who holds stops before anybody can have waited that long.
type lease struct {
	bus  *Bus
	kv   jetstream.KeyValue
	name string
	ttl  time.Duration
	// revision is the lease's entry as it was last seen; 0 means there is none.
	revision uint64
}

var (
	errLeaseTaken = errors.New("another process has the lease")
	errLeaseLost  = errors.New("the lease was lost")
)

// Lease waits until this process has the lease called name and then runs hold.
// The context of hold ends when the lease is lost; hold must then return, and
// the process waits for its turn again. Another process takes over at once when
// hold has returned, and after ttl when this one died. If hold fails by itself
// it is tried again, by whoever is next. Lease returns when ctx ends, or with
// nil when hold has returned nil: there is nothing more to do.
//
// A process that was stopped and goes on does not know for a moment that its
// lease is gone: what hold does must be safe to be done by two.
func (b *Bus) Lease(ctx context.Context, name string, ttl time.Duration, hold func(ctx context.Context) error) error {
	l := lease{bus: b, name: name, ttl: ttl}
	for ctx.Err() == nil {
		err := l.turn(ctx, hold)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			b.log.Warn("lease: trying again", zap.String("lease", name), zap.Error(err))
		}
		pause(ctx, ttl/4)
	}
	return context.Cause(ctx)
}

// turn is one attempt: wait for the lease, hold it, release it.
func (l *lease) turn(ctx context.Context, hold func(context.Context) error) (err error) {
	if l.kv == nil {
		if l.kv, err = l.bus.js.KeyValue(ctx, BucketLeases); err != nil {
			l.kv = nil
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	since, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	defer l.release(ctx)
	l.bus.log.Info("lease taken", zap.String("lease", l.name))

	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	done := make(chan error, 1)
	go func() { done <- hold(life) }()
	tick := time.NewTicker(l.ttl / 4)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if life.Err() != nil { // it was told to return
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

// acquire waits for the lease. It returns the time from which on nobody else
// can have it for a ttl.
func (l *lease) acquire(ctx context.Context) (since time.Time, err error) {
	l.revision = 0
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
		case <-silent.C:
			free = true
			silent.Reset(l.ttl)
		case e, ok := <-watch.Updates():
			switch {
			case !ok:
				return time.Time{}, fmt.Errorf("%w: the watch ended", ErrUnavailable)
			case e == nil: // that is all there is
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

// take writes the lease over what was last seen of it.
func (l *lease) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if l.revision == 0 {
		revision, err := l.kv.Create(ctx, l.name, []byte(l.bus.id))
		return l.wrote(revision, err)
	}
	revision, err := l.kv.Update(ctx, l.name, []byte(l.bus.id), l.revision)
	return l.wrote(revision, err)
}

// renew says that the lease is still held; until is when it is too late.
func (l *lease) renew(ctx context.Context, until time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	revision, err := l.kv.Update(ctx, l.name, []byte(l.bus.id), l.revision)
	return l.wrote(revision, err)
}

func (l *lease) wrote(revision uint64, err error) error {
	api, ok := errors.AsType[*jetstream.APIError](err)
	switch {
	case err == nil:
		l.revision = revision
		return nil
	case errors.Is(err, jetstream.ErrKeyExists), ok && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
		return errLeaseTaken
	default:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
}

// release lets the next one in at once.
func (l *lease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.ttl/2)
	defer cancel()
	if err := l.kv.Delete(ctx, l.name, jetstream.LastRevision(l.revision)); err != nil {
		l.bus.log.Debug("lease not released", zap.String("lease", l.name), zap.Error(err))
	}
	l.revision = 0
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
