package callback

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// run is one run of a sender. All that it knows it has read.
type run struct {
	*Sender
	// ctx is that of work that has begun.
	ctx     context.Context
	ends    *callbacks.Ends
	wake    chan struct{}
	working gopool.Group

	mu      sync.Mutex
	closed  bool
	dials   int64
	entries map[callbacks.Key]*entry
	// calls are the entries that wait for the result of a call.
	calls map[calledKey]map[*entry]bool
	lanes map[laneKey]*lane
	// memory is that of the elements that are being sent.
	memory *semaphore.Weighted
	timers timers
	// counts are the entries of each tenant, marked the tenants that are stored as crowded.
	// Read is set when all stored callbacks have been counted.
	counts map[string]int
	marked map[string]bool
	read   bool
	marks  chan struct{}
}

type calledKey struct{ tenant, callID string }

// entry is a callback that has not ended. A timer has it, or a lane.
type entry struct {
	key callbacks.Key
	// host is that of the URL, state its last known state. Since is when the call was
	// accepted or the callback renewed, or when its result was there.
	host  string
	state callbacks.State
	since time.Time
	// tries is the number of attempts in this run.
	tries int
	// logged is set when a problem with NATS was logged.
	logged bool
	// unwatch ends the subscription to the result of its call.
	unwatch func()

	at    time.Time
	index int  // among the timers; below 0 if it is not there
	laned bool // a lane has it
	again bool // it changed meanwhile
}

// tickMost is the longest time between two looks at the connection.
const tickMost = time.Second

// loop hands entries to their lanes when it is time, until ctx ends or following has.
func (r *run) loop(ctx context.Context, followed <-chan error) error {
	for {
		next := time.NewTimer(r.begin(time.Now()))
		select {
		case <-ctx.Done():
			next.Stop()
			return context.Cause(ctx)
		case err := <-followed:
			next.Stop()
			return err
		case <-r.wake:
		case <-next.C:
		}
		next.Stop()
	}
}

// begin hands over the entries whose time has come, and returns the time until the next.
func (r *run) begin(now time.Time) time.Duration {
	dials := r.Dials()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dials != dials { // results may have been missed
		r.dials = dials
		for _, e := range r.entries {
			if e.state == callbacks.Waits {
				r.schedule(e, now)
			}
		}
	}
	e := r.timers.next()
	for ; e != nil && !e.at.After(now); e = r.timers.next() {
		heap.Remove(&r.timers, e.index)
		r.enter(e)
	}
	if e == nil {
		return tickMost
	}
	return min(e.at.Sub(now), tickMost)
}

// learn updates the entry of a callback from its stored state.
func (r *run) learn(k callbacks.Key, c *callbacks.Callback) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[k]
	switch {
	case r.closed:
	case c.State == callbacks.Ended:
		if e != nil && e.index >= 0 { // else its lane notices
			heap.Remove(&r.timers, e.index)
			r.remove(e)
		}
	case e == nil:
		e = &entry{key: k, index: -1, host: hostOf(c.URL)}
		r.entries[k] = e
		r.grown(k.Tenant, 1)
		r.advance(e, c)
		r.schedule(e, now)
	case e.state == callbacks.Waits && c.State == callbacks.Due:
		r.advance(e, c)
		r.schedule(e, now)
	}
}

// advance sets the state of an entry. The caller holds mu.
func (r *run) advance(e *entry, c *callbacks.Callback) {
	e.state = c.State
	if c.State == callbacks.Due {
		e.since = time.UnixMilli(c.DueMS)
		r.unwatch(e)
		return
	}
	e.since = c.Since()
	remove, err := r.ends.Add(e.key.Tenant, e.key.CallID)
	if err != nil { // the connection is lost; then it is looked at again
		r.Log.Debug("result of a call with a callback not subscribed to", zap.Error(err))
		return
	}
	e.unwatch = remove
	called := calledKey{e.key.Tenant, e.key.CallID}
	if r.calls[called] == nil {
		r.calls[called] = map[*entry]bool{}
	}
	r.calls[called][e] = true
}

// unwatch ends the subscription of an entry. The caller holds mu.
func (r *run) unwatch(e *entry) {
	if e.unwatch == nil {
		return
	}
	e.unwatch()
	e.unwatch = nil
	called := calledKey{e.key.Tenant, e.key.CallID}
	if delete(r.calls[called], e); len(r.calls[called]) == 0 {
		delete(r.calls, called)
	}
}

// ended has the callbacks of a call looked at that got a result.
func (r *run) ended(tenant, callID string) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for e := range r.calls[calledKey{tenant, callID}] {
		r.schedule(e, now)
	}
}

// remove forgets an entry that has ended. The caller holds mu.
func (r *run) remove(e *entry) {
	r.unwatch(e)
	if r.entries[e.key] == e {
		delete(r.entries, e.key)
		r.grown(e.key.Tenant, -1)
	}
}

// close ends all subscriptions, and keeps lanes from going on.
func (r *run) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, e := range r.entries {
		r.unwatch(e)
	}
}

func (r *run) waiting() (calls, results int, oldest time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.state == callbacks.Waits {
			calls++
			continue
		}
		if results++; oldest.IsZero() || e.since.Before(oldest) {
			oldest = e.since
		}
	}
	return calls, results, oldest
}
