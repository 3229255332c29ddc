package worker

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
)

// attempt is a call that this worker has: from when it takes it until its
// result and its record are stored, or until it is let go of otherwise.
type attempt struct {
	delivery *bus.Delivery
	stop     context.CancelCauseFunc
	// free gives back the slot, once.
	free func()
	// unsettled says that the call has ended and counts among those that are
	// not yet stored.
	unsettled bool
	// inner are the ids of calls that this one made and that processes outside have.
	inner map[string]bool
	// lost says that the result which stands is another's.
	lost bool
}

// running is the calls that this worker has, by tenant and call_id.
type running struct {
	mu    sync.Mutex
	calls map[string]*attempt
}

func key(tenant, callID string) string { return tenant + "/" + callID }

// add reports false if the call runs here already.
func (r *running) add(a *attempt) bool {
	k := key(a.delivery.Tenant, a.delivery.CallID)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls[k] != nil {
		return false
	}
	r.calls[k] = a
	return true
}

// remove takes a call out, unless it is here by another delivery.
func (r *running) remove(d *bus.Delivery) {
	k := key(d.Tenant, d.CallID)
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.calls[k]; a != nil && a.delivery == d {
		delete(r.calls, k)
	}
}

func (r *running) get(tenant, callID string) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls[key(tenant, callID)]
}

// stop ends every running call for the same cause.
func (r *running) stop(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.calls {
		a.stop(cause)
	}
}

// held answers who holds a call.
func (r *running) held(worker string) func(tenant, callID string) *bus.Held {
	return func(tenant, callID string) *bus.Held {
		if a := r.get(tenant, callID); a != nil {
			return r.say(a, worker)
		}
		return nil
	}
}

func (r *running) say(a *attempt, worker string) *bus.Held {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &bus.Held{
		State: bus.StateRunning, Origin: a.delivery.Origin, Tool: a.delivery.Tool, By: worker, Inner: slices.Sorted(maps.Keys(a.inner)),
	}
}

// lend notes that a process outside has a call which one that runs here made, until
// the returned function is called. Of a call that nobody made it notes nothing.
func (r *running) lend(tenant, callID string) (back func()) {
	outer, _, _ := strings.Cut(callID, "~")
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.calls[key(tenant, outer)]
	if a == nil || outer == callID {
		return func() {}
	}
	if a.inner == nil {
		a.inner = map[string]bool{}
	}
	a.inner[callID] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(a.inner, callID)
	}
}

// cancel stops a call that runs here, and remembers one that does not, in case
// it comes later. One that comes at this very moment is found running below, or
// finds itself remembered.
func (w *Worker) cancel(tenant, callID string) *bus.Held {
	k := key(tenant, callID)
	w.refused.add(k, time.Now())
	a := w.running.get(tenant, callID)
	if a == nil {
		return nil
	}
	// It ends by itself, or is parked: its next delivery must not be stopped too.
	w.refused.drop(k)
	held := w.running.say(a, w.ID()) // before what it made has ended
	a.stop(engine.ErrCancelled)
	return held
}

// recent is a bounded set of keys that forgets.
type recent struct {
	mu   sync.Mutex
	keys map[string]time.Time
}

const (
	recentKeep = 10 * time.Minute
	recentMost = 10_000
)

func (r *recent) add(k string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys == nil {
		r.keys = map[string]time.Time{}
	}
	if len(r.keys) >= recentMost {
		for k, at := range r.keys {
			if now.Sub(at) > recentKeep {
				delete(r.keys, k)
			}
		}
		if len(r.keys) >= recentMost {
			return // the fence still refuses it
		}
	}
	r.keys[k] = now
}

func (r *recent) drop(k string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.keys, k)
}

func (r *recent) has(k string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.keys[k]
	return ok && time.Since(at) < recentKeep
}
