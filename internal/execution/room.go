package execution

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"
)

// While the audit trail or the results stream is full no call runs: the effects of a call
// must be on record, and its result must be stored. A delivered call keeps its slot and
// waits, so a worker has no more of them than it has slots.

// roomLook is the interval at which a waiting call looks for room.
const roomLook = 100 * time.Millisecond

// space waits for room in the message store.
type space struct {
	storage  Storage
	draining context.Context
}

// wait waits until there is room and returns true; false if ctx ends or the worker drains
// first.
func (s space) wait(ctx context.Context) bool {
	look := time.NewTicker(roomLook)
	defer look.Stop()
	for s.storage.Shortage() != NoShortage {
		select {
		case <-ctx.Done():
			return false
		case <-s.draining.Done():
			return false
		case <-look.C:
		}
	}
	return true
}

// rest waits for [retryPause] and returns true; false if ctx ends or the worker drains first.
func (s space) rest(ctx context.Context) bool {
	pause := time.NewTimer(retryPause)
	defer pause.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-s.draining.Done():
		return false
	case <-pause.C:
		return true
	}
}

// retries calls functions again until the executor is closed.
type retries struct {
	storage Storage
	closed  chan struct{}
}

// after calls f after a pause, unless the executor is closed: the queue then delivers the
// call to another worker. While the store is full f waits. A store that does not answer is
// tried: nothing else shows that it works again.
func (t retries) after(f func()) {
	time.AfterFunc(retryPause, func() {
		select {
		case <-t.closed:
		default:
			if t.storage.Shortage() == Full {
				t.after(f)
				return
			}
			f()
		}
	})
}

// notStored logs that something was not stored and is tried again. During a shortage, which
// is logged once, it adds no line for each call.
func (x *Executor) notStored(message, callID string, err error) {
	if errors.Is(err, ErrFull) || x.Storage.Shortage() != NoShortage {
		x.Log.Debug(message, zap.String("call_id", callID), zap.Error(err))
		return
	}
	x.Log.Warn(message, zap.String("call_id", callID), zap.Error(err))
}
