package sandbox

import (
	"context"
	"sync"
	"time"
)

// tick is how exact the CPU limit is.
const tick = 5 * time.Millisecond

// watch ends a run that is over a limit, or that nobody wants any more. It kills the
// child, and whoever reads from it or writes to it stops at once.
type watch struct {
	ctx    context.Context
	child  *child
	limits Limits
	start  time.Time
	before time.Duration // CPU of the child
	cancel func()        // what the host does for the run
	leave  func() bool   // stop to listen to ctx

	mu      sync.Mutex
	timer   *time.Timer
	over    bool     // the run has ended
	verdict *outcome // nil: not because of this
}

func watchRun(ctx context.Context, c *child, l Limits, cancel func()) *watch {
	w := &watch{ctx: ctx, child: c, limits: l, cancel: cancel, start: time.Now(), before: c.spent}
	w.mu.Lock() // neither may come before both are there
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(min(l.Wall, l.CPU/2), w.look)
	w.leave = context.AfterFunc(ctx, w.cancelled)
	return w
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	used, left := w.child.cpu()-w.before, w.limits.Wall-time.Since(w.start)
	if used >= w.limits.CPU || left <= 0 {
		w.end(overdue(used, w.limits))
		return
	}
	w.timer.Reset(min(left, max((w.limits.CPU-used)/2, tick)))
}

func (w *watch) cancelled() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.end(outcome{err: gone(w.ctx), reason: "cancelled"})
	}
}

func (w *watch) end(verdict outcome) {
	w.over, w.verdict = true, &verdict
	w.child.kill(nil)
	w.child.hurry(time.Now())
	w.cancel()
}

// stop ends the watch. It returns how the run ended if it was ended here.
func (w *watch) stop() *outcome {
	w.timer.Stop()
	w.leave()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	return w.verdict
}
