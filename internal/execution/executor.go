package execution

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// Deps are the parts of the platform that an [Executor] uses.
type Deps struct {
	// Worker is the id of this worker.
	Worker string
	// Pools holds the metrics of each pool whose calls the worker takes.
	Pools map[string]*telemetry.Pool
	// Slots is the number of calls that run at a time, MaxAttempts that of workers that may begin
	// a call and leave no result, InlineLimit the size above which results are moved out of messages.
	Slots, MaxAttempts, InlineLimit int

	// Results stores results; [New] puts the grouping before it if there are Groups.
	Results Results
	// Groups stores results together; nil stores each by itself.
	Groups  Groups
	Records Records
	Fences  Fences
	Owners  Owners
	Events  Events
	Storage Storage
	Router  Router
	Metrics *telemetry.Metrics
	Tracing *telemetry.Tracing
	Log     *zap.Logger
	// Arguments returns the arguments of a call as they are kept with its result, one line; nil
	// keeps none.
	Arguments func(j *engine.Job) []byte
}

// Executor runs deliveries. It is safe for concurrent use.
type Executor struct {
	Deps
	engine    Engine
	calls     *calls
	cancelled cancelled // calls that were cancelled before they came here
	starts    delayed   // events of calls that have started
	space     space
	drain     context.CancelFunc
	retries   retries
	turns     *semaphore.Weighted // of redelivered calls
	ended     atomic.Int64        // calls that have ended and are not stored
}

// New returns an executor, which needs an engine before its first call: [Executor.Use].
func New(d Deps) *Executor {
	draining, drain := context.WithCancel(context.Background())
	x := &Executor{
		Deps: d, calls: newCalls(), space: space{d.Storage, draining}, drain: drain, turns: semaphore.NewWeighted(turnsAtOnce),
	}
	x.retries = retries{storage: d.Storage, closed: make(chan struct{})}
	if d.Groups != nil {
		x.Results = newGrouping(x)
	}
	return x
}

// Use sets the engine, whose ledger is that of the executor.
func (x *Executor) Use(e Engine) { x.engine = e }

// Ledger returns the ledger of the calls that the executor runs.
func (x *Executor) Ledger() *Ledger {
	return &Ledger{
		worker:  x.Worker,
		calls:   x.calls,
		space:   x.space,
		results: x.Results,
		records: x.Records,
		fences:  x.Fences,
		owners:  x.Owners,
	}
}

// Take runs a delivered call. It returns when the outcome of the call is known, or when
// the call is not to be run here; the result is stored afterwards.
func (x *Executor) Take(c *Call, d Delivery) {
	pool := x.Pools[c.Pool]
	pool.SlotTaken()
	pool.Started(time.Since(c.Accepted()))
	if c.Attempt > 1 {
		x.Metrics.Redelivered()
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	r := &run{call: c, delivery: d, stop: stop, free: sync.OnceFunc(func() {
		d.Release()
		pool.SlotFreed()
		pool.Ended()
	})}
	err := gopool.Catch(func() error {
		if c.redelivered() {
			r.lost = x.findLost(c)
		}
		x.advance(ctx, r, x.intake(ctx, r))
		return nil
	})
	if r.turn != nil {
		r.turn()
	}
	if err != nil {
		x.crashed(r, err)
	}
}

// crashed returns a call to the queue whose delivery panicked outside its tool, as if the
// process had ended: the attempts of a call are bounded.
func (x *Executor) crashed(r *run, err error) {
	x.Log.Error("delivery crashed",
		zap.String("call_id", r.call.ID), zap.String("tool", r.call.Tool), zap.Stringer("state", r.state), zap.Error(err))
	if !r.state.final() && x.calls.get(callKey{r.call.Tenant, r.call.ID}) == r {
		r.state = returned
		x.end(r)
	}
}

// Cancel stops a call that runs here and returns it. A call that is not here is remembered
// and stopped if it comes: if it comes at this moment, either the search below finds it or
// it finds itself remembered.
func (x *Executor) Cancel(tenant, callID string) *Owned {
	k := callKey{tenant, callID}
	x.cancelled.add(k, time.Now())
	r := x.calls.get(k)
	if r == nil {
		return nil
	}
	// It ends by itself, or is parked: its next delivery must not be stopped too.
	x.cancelled.drop(k)
	owned := x.calls.owned(r) // before the calls that it made have ended
	r.stop(engine.ErrCancelled)
	return owned
}

// Find returns the call if this worker owns it, else nil.
func (x *Executor) Find(tenant, callID string) *Owned {
	if r := x.calls.get(callKey{tenant, callID}); r != nil {
		return x.calls.owned(r)
	}
	return nil
}

// Call returns a call that this worker owns, else nil.
func (x *Executor) Call(tenant, callID string) *Call {
	if r := x.calls.get(callKey{tenant, callID}); r != nil {
		return r.call
	}
	return nil
}

// Running returns the calls of a tenant that this worker owns, at most so many. The caller
// does not change them.
func (x *Executor) Running(tenant string, most int) []*Call { return x.calls.list(tenant, most) }

// OfPool returns the calls of a pool that this worker owns, at most so many. The caller does
// not change them.
func (x *Executor) OfPool(pool string, most int) []*Call { return x.calls.ofPool(pool, most) }

// Count returns how many calls this worker owns.
func (x *Executor) Count() int { return x.calls.count() }

// NoteRemote records that a remote process runs a nested call (id outer~n), so that
// [Owned] names it and a cancellation reaches it, until done is called. It does nothing
// for other calls.
func (x *Executor) NoteRemote(tenant, callID string) (done func()) {
	return x.calls.noteRemote(tenant, callID)
}

// Drain returns calls that wait for storage or for their turn to the queue instead of running
// them.
func (x *Executor) Drain() { x.drain() }

// Stop cancels every running call because the worker must stop.
func (x *Executor) Stop() { x.calls.stop(engine.ErrShutdown) }

// Close ends the retries. The queue delivers the calls that are left again.
func (x *Executor) Close() { close(x.retries.closed) }
