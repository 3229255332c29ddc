package sandbox

import (
	"context"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
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
	part    part
	over    bool     // the run has ended
	verdict *outcome // nil: the watch did not end the run
}

// part is the part of a run to which its limits apply: the whole run of a script, or the code
// of a program between two answers of its host.
type part struct {
	start   time.Time
	before  time.Duration // CPU time of the child at the start
	durable bool          // it is part of a program
	replay  bool          // of a program's replay
	waits   bool          // the host is about to begin the next part
	past    time.Duration // of the replay, in earlier parts
}

func watchRun(ctx context.Context, c *childProcess, j *Job, l Limits, cancel func()) *watch {
	w := &watch{ctx: ctx, child: c, limits: l, cancel: cancel, start: time.Now(), before: c.spent}
	w.part = part{start: w.start, before: w.before, durable: j.Durable != nil, replay: j.Durable != nil && j.Replays}
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
	if w.over || w.part.waits {
		return
	}
	cpu := w.child.cpu()
	used, past := cpu-w.part.before, time.Since(w.part.start)
	next, late := w.part.left(used, past, w.limits)
	if late != nil {
		w.end(*late)
		return
	}
	w.timer.Reset(min(next, w.yields.look(cpu-w.before, time.Since(w.start))))
}

// left returns the time until a limit can be reached, or the outcome of a run that is over
// one.
func (p *part) left(used, past time.Duration, l Limits) (next time.Duration, late *outcome) {
	if p.replay {
		left := l.Replay - p.past - past
		if left <= 0 {
			return 0, &outcome{err: tool.Fail(tool.Timeout, "the replay of the program took longer than %s", span(l.Replay)), reason: "wall"}
		}
		return left, nil
	}
	left := l.Wall - past
	switch {
	case used < l.CPU && left > 0:
		return min(left, max((l.CPU-used)/2, tick)), nil
	case !p.durable:
		late := overdue(used, l)
		return 0, &late
	case used >= l.CPU:
		return 0, &outcome{err: tool.Fail(tool.Timeout, "the program used more than %s of CPU between two steps", span(l.CPU)), reason: "cpu"}
	}
	return 0, &outcome{err: tool.Fail(tool.Timeout, "the program did not come to its next step within %s", span(l.Wall)), reason: "wall"}
}

// pause ends a part of a program, and returns the CPU time that it took.
func (w *watch) pause() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.part.waits = true
	if w.part.replay {
		w.part.past += time.Since(w.part.start)
	}
	return w.child.cpu() - w.part.before
}

// resume begins a part of a program.
func (w *watch) resume(replay bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	w.part.waits, w.part.replay = false, replay
	w.part.start, w.part.before = time.Now(), w.child.cpu()
	w.timer.Reset(tick)
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
