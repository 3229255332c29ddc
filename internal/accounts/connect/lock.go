package connect

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

const (
	// holdTime bounds what is done with a lock, and lockLife is the time after which the
	// server forgets the lock of a process that died.
	holdTime = 10 * time.Second
	lockLife = 12 * time.Second
	// lockLook is the interval at which a process looks whether a lock is free.
	lockLook = 100 * time.Millisecond
	// lockParts is the number of times that a lock is extended in its life.
	lockParts = 4
)

// lock is the lock of an account that this process has.
type lock struct {
	service *Service
	key, id string
	// until is when the work with it must have ended: holdTime after the request for it,
	// which the server may have received at that moment.
	until time.Time
}

// lock takes the lock of an account, or returns nil if another process has it.
func (s *Service) lock(ctx context.Context, w who) (*lock, error) {
	l := &lock{service: s, key: "lock." + w.key(), id: random()}
	value, revision, err := s.Bucket.GetRevision(ctx, l.key)
	if value != nil || err != nil {
		return nil, err
	}
	l.until = time.Now().Add(holdTime)
	switch err := s.Bucket.PutAt(ctx, l.key, []byte(l.id), revision, s.lockLife); {
	case errors.Is(err, natsio.ErrExists):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return l, nil
}

// release releases a lock that is still this process' own.
func (l *lock) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), natsio.ReadTimeout)
	defer cancel()
	mine, revision, err := l.mine(ctx)
	if mine && err == nil {
		_, err = l.service.Bucket.ForgetAt(ctx, l.key, revision)
	}
	if err != nil {
		l.service.Log.Info("lock of an account not released; it ends by itself", zap.Error(err))
	}
}

// mine reports whether the lock is still this process' own, and its revision.
func (l *lock) mine(ctx context.Context) (bool, uint64, error) {
	value, revision, err := l.service.Bucket.GetRevision(ctx, l.key)
	return err == nil && string(value) == l.id, revision, err
}

// keep extends the lock again and again, until ctx ends or the returned function is called:
// for work that another process must not begin although it takes long.
func (l *lock) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			natsio.Pause(ctx, l.service.lockLife/lockParts)
			if ctx.Err() != nil {
				return
			}
			mine, revision, err := l.mine(ctx)
			if mine && err == nil {
				err = l.service.Bucket.PutAt(ctx, l.key, []byte(l.id), revision, l.service.lockLife)
			}
			switch {
			case ctx.Err() != nil:
			case err != nil:
				l.service.Log.Warn("lock of an account not extended; trying again", zap.Error(err))
			case !mine:
				l.service.Log.Warn("lock of an account lost")
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
