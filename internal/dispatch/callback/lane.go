package callback

import (
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/x/gopool"
)

const (
	// perHost is the number of requests of one tenant to a host at a time.
	perHost = 8
	// looksAtOnce is the number of calls that are looked at concurrently.
	looksAtOnce = 8
	// bodyMemory bounds the elements that are being sent. Those of one lane leave room for
	// others, however large they are.
	bodyMemory = 256 << 20
	// crashPause is the pause after an attempt that crashed.
	crashPause = time.Minute
)

// laneKey names the lane of the requests of a tenant to a host. The zero value is the lane
// of looks at calls.
type laneKey struct{ tenant, host string }

// lane bounds how much of its work is done at a time, so that a receiver which does not
// answer keeps nothing else from being done.
type lane struct {
	key     laneKey
	most    int
	running int
	backlog []*entry
}

// enter hands an entry to its lane. The caller holds mu.
func (r *run) enter(e *entry) {
	if r.closed {
		return
	}
	k, most := laneKey{e.key.Tenant, e.host}, perHost
	if e.state == callbacks.Waits {
		k, most = laneKey{}, looksAtOnce
	}
	l := r.lanes[k]
	if l == nil {
		l = &lane{key: k, most: most}
		r.lanes[k] = l
	}
	e.laned = true
	if l.running == l.most {
		l.backlog = append(l.backlog, e)
		return
	}
	l.running++
	r.working.Go(func() { r.work(l, e) })
}

// work does the work of an entry, and then that of others of its lane.
func (r *run) work(l *lane, e *entry) {
	for e != nil {
		var next time.Time
		if err := gopool.Catch(func() error { next = r.do(e); return nil }); err != nil {
			r.Log.Error("callback crashed; trying again", zap.Error(err))
			next = time.Now().Add(crashPause)
		}
		e = r.done(l, e, next)
	}
}

// done schedules an entry again, or removes it if next is zero, and returns the next one of
// its lane.
func (r *run) done(l *lane, e *entry, next time.Time) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.laned = false
	if e.again {
		e.again = false
		if !next.IsZero() && e.state == callbacks.Waits {
			next = time.Now()
		}
	}
	if next.IsZero() {
		r.remove(e)
	} else if !r.closed {
		r.schedule(e, next)
	}
	if r.closed || len(l.backlog) == 0 {
		if l.running--; l.running == 0 {
			delete(r.lanes, l.key)
		}
		return nil
	}
	e = l.backlog[0]
	l.backlog = l.backlog[1:]
	return e
}

// do does what an entry needs now, and returns when it needs something again; the zero time
// if it has ended.
func (r *run) do(e *entry) time.Time {
	r.mu.Lock()
	state := e.state
	r.mu.Unlock()
	if state == callbacks.Waits {
		return r.look(e)
	}
	return r.deliver(e)
}
