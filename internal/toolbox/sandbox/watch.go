package sandbox

import (
	"context"
	"sync"
	"time"
)

// tick is the precision of the CPU limit.
const tick = 5 * time.Millisecond

// watch ends a run that is over a limit, or whose context ended. It kills the child, so
// that reads from it and writes to it fail immediately.
type watch struct {
	ctx    context.Context
	child  *childProcess
	limits Limits
	start  time.Time
	before time.Duration // CPU time of the child at the start
	cancel func()        // cancels the host's work for the run
	leave  func() bool   // removes the callback of ctx

	mu      sync.Mutex
	timer   *time.Timer
	yields  yields
	over    bool     // the run has ended
	verdict *outcome // nil: the watch did not end the run
}

func watchRun(ctx context.Context, c *childProcess, l Limits, cancel func()) *watch {
	w := &watch{ctx: ctx, child: c, limits: l, cancel: cancel, start: time.Now(), before: c.spent}
	w.mu.Lock() // both callbacks need both timers
	defer w.mu.Unlock()
	w.yields.child = c
	w.timer = time.AfterFunc(min(l.Wall, l.CPU/2, w.yields.first()), w.look)
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
	next := max((w.limits.CPU-used)/2, tick)
	w.timer.Reset(min(left, next, w.yields.look(used, time.Since(w.start))))
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
	w.child.setDeadline(time.Now())
	w.cancel()
}

// stop ends the watch, and restores the child's priority. It returns the outcome of the run
// if the watch ended it.
func (w *watch) stop() *outcome {
	w.timer.Stop()
	w.leave()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.verdict == nil {
		w.child.slow = !w.yields.end()
	}
	return w.verdict
}
