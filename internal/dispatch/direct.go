package dispatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// A direct call is handed to a worker with a free slot and not queued: one stored message
// less. Only calls that change nothing, are waited for and belong to a tool that was quick
// lately are direct, and only while no call waits for the pool. Such a call is not accepted
// until its result is stored or it is queued: if dispatcher and worker are lost, nothing was
// stored and nobody was answered. It is queued if a worker declines it, if no result came in
// time, and before it is answered as pending.
const (
	// directSmall is the longest arguments of a direct call, in bytes.
	directSmall = 16 << 10
	// busyRest is the time for which calls of a pool are queued after a worker had no slot for
	// a direct call, unheardRest the same if no worker of the pool receives direct calls, and
	// unfitRest the time for which calls of a tool are queued after a worker declined one.
	busyRest, unheardRest, unfitRest = 100 * time.Millisecond, 5 * time.Second, 10 * time.Second
	// lateRest is the time for which calls of a tool are queued after a direct call had no
	// result in time. It doubles up to lateMost while that happens again within lateKept: a worker may
	// be stopped and still receive its share.
	lateRest, lateMost, lateKept = time.Second, 30 * time.Second, time.Minute
	// quickKept is the time for which a tool counts as quick after a quick call.
	quickKept = time.Minute
)

// paces holds the pace of tools and pools. Calls of a tool without one are queued.
type paces struct {
	tools sync.Map // *pace by name
	rests sync.Map // *atomic.Int64, the time until which calls of a pool are queued, by pool
}

// pace is the pace of one tool. Times are Unix milliseconds.
type pace struct {
	quick atomic.Int64 // until when the tool counts as quick
	rest  atomic.Int64 // until when its calls are queued
	lates atomic.Int64 // how often in a row a result was late
}

func (p *paces) of(name string) *pace { return loaded[pace](&p.tools, name) }

func (p *paces) rest(pool string, d time.Duration) {
	loaded[atomic.Int64](&p.rests, pool).Store(time.Now().Add(d).UnixMilli())
}

func (p *paces) resting(pool string, now int64) bool {
	return loaded[atomic.Int64](&p.rests, pool).Load() > now
}

// loaded returns the value of a key, which it makes where there is none.
func loaded[T any](m *sync.Map, key string) *T {
	v, ok := m.Load(key)
	if !ok {
		v, _ = m.LoadOrStore(key, new(T))
	}
	t, _ := v.(*T) // nothing else is stored
	return t
}

// allows reports whether calls of the tool may be direct.
func (p *pace) allows(now int64) bool { return p.quick.Load() > now && p.rest.Load() <= now }

// ended notes whether a call of the tool was quick.
func (p *pace) ended(quick bool, now time.Time) {
	switch until := now.Add(quickKept).UnixMilli(); {
	case !quick:
		p.quick.Store(0)
	case until-p.quick.Load() > quickKept.Milliseconds()/8:
		p.quick.Store(until)
	}
}

// late notes that a direct call had no result in time.
func (p *pace) late(now time.Time) {
	ms, rest := now.UnixMilli(), p.rest.Load()
	if rest > ms {
		return // one of several at a time
	}
	n := p.lates.Add(1)
	if ms-rest > lateKept.Milliseconds() {
		n = 1
		p.lates.Store(n)
	}
	p.rest.CompareAndSwap(rest, now.Add(min(lateRest<<min(n-1, 10), lateMost)).UnixMilli())
}

// directly reports whether a call may be direct. It sets the pace of w for calls that may be
// at another time.
func (d *Dispatcher) directly(req *Request, e *call.Call, w *watcher, def *tool.Definition, now time.Time) bool {
	switch {
	case def.Kind != tool.KindBuiltin, def.Name == catalog.UseTool, req.Wait <= 0, e.Copy, e.Waits:
		return false
	case e.ConfirmToken != "", e.Priority == protocol.PriorityBatch, len(e.Arguments) > directSmall:
		return false
	case d.DirectUnder <= 0, e.Home != "", queue.IsKind(e.Lane), queue.BasePool(e.Pool) != e.Pool:
		return false
	case def.Mutates && !e.Grouped: // only where groups are read is it known what this call does
		return false
	}
	w.pace = d.paces.of(def.Name)
	ms := now.UnixMilli()
	return w.pace.allows(ms) && !d.paces.resting(e.Pool, ms) && d.inbox.MayHand() && d.backlogs.Empty(e.Pool)
}

// send hands the call to a worker, or queues it.
func (d *Dispatcher) send(ctx context.Context, req *Request, e *call.Call, w *watcher, def *tool.Definition) error {
	now := time.Now()
	if !d.directly(req, e, w, def, now) {
		return d.submit(ctx, e, w)
	}
	w.declined = make(chan queue.Refusal, 1)
	d.tellQueued(e, w)
	if d.Tracing.Enabled() {
		e.Traceparent = telemetry.Traceparent(ctx)
	}
	if err := d.inbox.Hand(e, w.result, w.declined); err != nil {
		return d.submit(ctx, e, w)
	}
	if d.Tracing.Enabled() {
		telemetry.EndSpan(ctx)
	}
	d.backlogs.Add(e.Pool, -1)
	w.handed = now.Add(d.DirectWait)
	return failpoint.Hit(failpoint.DispatcherAfterHand)
}

// answered notes that the result of a call was received.
func (d *Dispatcher) answered(e *call.Call, w *watcher) {
	if !w.handed.IsZero() {
		w.handed = time.Time{}
		d.Metrics.Direct(telemetry.DirectAnswered)
	}
	if w.pace != nil {
		now := time.Now()
		w.pace.ended(now.Sub(e.Accepted()) <= d.DirectUnder, now)
	}
}

// decline queues a direct call that no worker runs.
func (d *Dispatcher) decline(ctx context.Context, e *call.Call, w *watcher, why queue.Refusal) error {
	if w.handed.IsZero() {
		return nil
	}
	w.handed = time.Time{}
	d.Metrics.Direct(telemetry.DirectDeclined)
	switch why {
	case queue.Unfit:
		w.pace.rest.Store(time.Now().Add(unfitRest).UnixMilli())
	case queue.Unheard:
		d.paces.rest(e.Pool, unheardRest)
	case queue.Busy:
		d.paces.rest(e.Pool, busyRest)
	}
	d.backlogs.Add(e.Pool, 1)
	return d.submit(ctx, e, w)
}

// copyHanded queues a direct call that a worker may be running. The worker that receives the
// copy looks for the result, and for the worker that runs the call.
func (d *Dispatcher) copyHanded(ctx context.Context, e *call.Call, w *watcher) error {
	if w.handed.IsZero() {
		return nil
	}
	w.handed = time.Time{}
	d.Metrics.Direct(telemetry.DirectLate)
	if err := failpoint.Hit(failpoint.DispatcherBeforeCopy); err != nil {
		return err
	}
	d.backlogs.Add(e.Pool, 1)
	e.Copy = true
	w.tries++ // the direct call counts as one
	return d.submit(ctx, e, w)
}
