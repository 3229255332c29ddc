package worker

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/natsio"
	"github.com/helve-dev/helve/internal/olddocuments"
	"github.com/helve-dev/helve/internal/queue"
)

// documentMover is implemented by the part that stores personal data.
type documentMover interface {
	MoveDocuments(ctx context.Context, b olddocuments.Bucket, now time.Time) (olddocuments.Moved, error)
}

const (
	// lookForDocuments is the pause between moves, for documents of workers of an earlier
	// release that are still in the fleet.
	lookForDocuments = 10 * time.Minute
	// lookWhileRunning is the pause while such a worker runs a coding agent, or after a
	// move that failed.
	lookWhileRunning = olddocuments.SlotLife / 4
)

// moveDocuments moves what earlier releases kept in a bucket into the store, in the
// background. Stop ends that and waits for it.
func (w *Worker) moveDocuments(life context.Context, m machine) (stop func()) {
	var mover documentMover
	for _, p := range m {
		if is, ok := p.ports.(documentMover); ok {
			mover = is
		}
	}
	if mover == nil {
		return func() {}
	}
	ctx, end := context.WithCancel(life)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			pause, again := w.moveOnce(ctx, mover)
			if !again {
				return
			}
			if natsio.Pause(ctx, pause); ctx.Err() != nil {
				return
			}
		}
	}()
	return func() { end(); <-done }
}

// moveOnce moves what is in the bucket now. It returns false if there is no bucket.
func (w *Worker) moveOnce(ctx context.Context, mover documentMover) (pause time.Duration, again bool) {
	if w.placement.storeRefused() {
		return lookWhileRunning, true
	}
	bucket, err := w.queue.Conn.Bucket(ctx, queue.BucketDocuments)
	if errors.Is(err, natsio.ErrNoBucket) {
		return 0, false
	}
	var moved olddocuments.Moved
	if err == nil {
		moved, err = mover.MoveDocuments(ctx, bucket, time.Now())
	}
	switch {
	case ctx.Err() != nil:
		return 0, false
	case err != nil:
		w.kit.Log.Warn("documents of an earlier release not moved to the store; trying again", zap.Error(err))
	case moved.Documents > 0 || moved.Refused > 0:
		w.kit.Log.Info("documents of an earlier release moved to the store", zap.Int("moved", moved.Documents), zap.Int("refused", moved.Refused))
	}
	if err != nil || moved.Running > 0 {
		return lookWhileRunning, true
	}
	return lookForDocuments, true
}

// storeRefused reports whether personal data of this worker would be in another database
// than that of other workers.
func (p *placement) storeRefused() bool {
	if !p.ownStore {
		return false
	}
	for _, apart := range p.apart {
		if apart.Load() {
			return true
		}
	}
	return false
}
