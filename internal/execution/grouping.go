package execution

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// grouping stores results that are ready together for one dispatcher in one message; it is
// [Results] over others and the [Groups] of the executor. No clock delays a result: a result
// that is alone is published immediately, and results that become ready while it is not
// acknowledged go out together after that. Two messages on their way at a time made smaller
// groups and were not quicker: 170 µs of CPU a call, not 150.
type grouping struct {
	Results
	groups    Groups
	worker    string
	retries   retries
	notStored func(message, id string, err error)

	next   atomic.Uint64 // makes the ids of groups unique
	mu     sync.Mutex
	queues map[recipient]*groupQueue
}

func newGrouping(x *Executor) *grouping {
	return &grouping{
		Results: x.Results, groups: x.Groups, worker: x.Worker, retries: x.retries, notStored: x.notStored,
		queues: map[recipient]*groupQueue{},
	}
}

// recipient is the dispatcher that waits for results, and their tenant and pool.
type recipient struct{ tenant, pool, origin string }

// ready is a result that is to be stored.
type ready struct {
	Ended
	done func(error)
}

// heads returns the bytes that the result takes in the headers of a message.
func (r *ready) heads() int { return len(r.Record) + len(r.Arguments) + 2 }

// groupQueue holds the results for one dispatcher while messages are on their way to it.
type groupQueue struct {
	sent            int // results that were published together count as one
	waiting         []*ready
	bytes, recorded int
}

const (
	// groupYoung is the time for which a worker may have had a call whose result is in a
	// group. A worker that was stopped for longer stores the result by itself, so that the
	// server compares it with that of another attempt.
	groupYoung = 200 * time.Millisecond
	// groupSmall bounds a result that is grouped, and its record with the arguments.
	groupSmall = 8 << 10
	// groupExtra and resultExtra are the most bytes that a group and each result in it take
	// besides, in the results stream or on the trail.
	groupExtra, resultExtra = 512, 64

	// Bounds of a group: results, bytes of results, and bytes of records and arguments. The
	// server bounds headers to 64 KiB.
	groupResults     = 64
	groupBytes       = 256 << 10
	groupRecordBytes = 48 << 10
)

// Store implements [Results].
func (g *grouping) Store(one Ended, done func(error)) {
	r := &ready{one, done}
	if g.takes(r) {
		g.add(r)
	} else {
		g.store(r, func() {})
	}
}

// takes reports whether the result is to be in a group.
func (g *grouping) takes(r *ready) bool {
	c := r.Call
	return r.Shared() && !r.Failed && !c.redelivered() && c.Moves == 0 && time.Since(c.Received) < groupYoung &&
		len(r.Record) > 0 && len(r.Result) <= groupSmall && r.heads() <= groupSmall
}

// Shared reports whether another message than that of its own may hold a result of the call,
// of this attempt or another one: its dispatcher reads groups, and a second attempt does no
// harm, so that only the first result counts.
func (e *Ended) Shared() bool { return e.Call.Grouped && !e.Acts }

// store stores the result in a message of its own. Answered is called when the server has
// answered, or has not in time.
func (g *grouping) store(r *ready, answered func()) {
	g.Results.Store(r.Ended, func(err error) {
		answered()
		r.done(err)
	})
}

// add publishes a result, or keeps it until the results before it are acknowledged.
func (g *grouping) add(r *ready) {
	to := recipient{r.Call.Tenant, r.Call.Pool, r.Call.Origin}
	g.mu.Lock()
	q := g.queues[to]
	if q == nil {
		q = &groupQueue{}
		g.queues[to] = q
	}
	q.waiting = append(q.waiting, r)
	q.bytes, q.recorded = q.bytes+len(r.Result), q.recorded+r.heads()
	var all []*ready
	if q.sent == 0 || q.full() {
		all = q.take()
	}
	g.mu.Unlock()
	g.publish(to, all)
}

// publish stores results in one message. Results that are too old by now are stored by
// themselves, and so is a single one.
func (g *grouping) publish(to recipient, all []*ready) {
	if len(all) == 0 {
		return
	}
	answered := sync.OnceFunc(func() { g.answered(to) })
	group, single := make([]*ready, 0, len(all)), []*ready(nil)
	for _, r := range all {
		if g.takes(r) {
			group = append(group, r)
		} else {
			single = append(single, r)
		}
	}
	for len(group) > 0 {
		n := fitting(group, g.groups.GroupRoom())
		if n == 1 {
			single = append(single, group[0])
		} else {
			g.storeGroup(g.worker+"-"+strconv.FormatUint(g.next.Add(1), 36), group[:n:n], answered)
		}
		group = group[n:]
	}
	for _, r := range single {
		g.store(r, answered)
	}
}

func (q *groupQueue) full() bool {
	return len(q.waiting) >= groupResults || q.bytes > groupBytes-groupSmall || q.recorded > groupRecordBytes-groupSmall
}

// take returns the results that wait, to be published.
func (q *groupQueue) take() []*ready {
	all := q.waiting
	q.waiting, q.bytes, q.recorded = nil, 0, 0
	q.sent++
	return all
}

// answered publishes the results that became ready while a message was on its way.
func (g *grouping) answered(to recipient) {
	g.mu.Lock()
	q := g.queues[to]
	q.sent--
	var all []*ready
	switch {
	case len(q.waiting) > 0 && q.sent == 0:
		all = q.take()
	case q.sent == 0:
		delete(g.queues, to)
	}
	g.mu.Unlock()
	g.publish(to, all)
}

// fitting returns how many of the results, at least one, fit a group of that many bytes.
func fitting(all []*ready, room int64) int {
	size := int64(groupExtra)
	for i, r := range all {
		if size += int64(len(r.Result) + r.heads() + len(r.Call.ID) + resultExtra); i > 0 && size > room {
			return i
		}
	}
	return len(all)
}

// storeGroup stores a group and tries again until it is stored: the server has one of its id.
func (g *grouping) storeGroup(id string, all []*ready, answered func()) {
	again := func() { g.retries.after(func() { g.storeGroup(id, all, func() {}) }) }
	if err := failpoint.Hit(failpoint.WorkerBeforeGroup); err != nil {
		answered()
		again()
		return
	}
	results := make([]Ended, len(all))
	for i, r := range all {
		results[i] = r.Ended
	}
	g.groups.StoreGroup(id, results, func(err error) {
		answered()
		if err == nil {
			err = failpoint.Hit(failpoint.WorkerAfterGroup)
		}
		switch {
		case err == nil, errors.Is(err, ErrExists):
			for _, r := range all {
				r.done(nil)
			}
		case errors.Is(err, ErrFull) && len(all) > 1: // a few may still fit
			for _, r := range all {
				g.store(r, func() {})
			}
		default:
			g.notStored("group of results not stored; trying again", id, err)
			again()
		}
	})
}
