package connect

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/natsio"
)

const (
	// holdTime bounds what is done with a lock, and lockLife is the time after which the
	// server forgets the lock of a process that died.
	holdTime = 10 * time.Second
	lockLife = 12 * time.Second
	// lockLook is the interval at which a process looks whether a lock is free.
	lockLook = 100 * time.Millisecond
)

// lock takes the lock of an account and returns a function that releases it, or nil if
// another process has the lock.
func (s *Service) lock(ctx context.Context, w who) (release func(), err error) {
	key, id := "lock."+w.key(), random()
	value, revision, err := s.Bucket.GetRevision(ctx, key)
	if value != nil || err != nil {
		return nil, err
	}
	switch err := s.Bucket.PutAt(ctx, key, []byte(id), revision, s.lockLife); {
	case errors.Is(err, natsio.ErrExists):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return func() { s.unlock(context.WithoutCancel(ctx), key, id) }, nil
}

// unlock releases a lock that is still this process' own.
func (s *Service) unlock(ctx context.Context, key, id string) {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	value, revision, err := s.Bucket.GetRevision(ctx, key)
	if err == nil && string(value) == id {
		_, err = s.Bucket.ForgetAt(ctx, key, revision)
	}
	if err != nil {
		s.Log.Info("lock of an account not released; it ends by itself", zap.Error(err))
	}
}
