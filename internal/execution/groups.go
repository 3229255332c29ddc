package execution

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
)

// groups stores results that are ready together for one dispatcher in one message. No
// clock delays a result: a result that is alone is published immediately, and results that
// become ready while it is not acknowledged go out together after that. Two messages on
// their way at a time made smaller groups and were not quicker: 170 µs of CPU a call, not
// 150.
type groups struct {
	x      *Executor
	next   atomic.Uint64 // makes the ids of groups unique
	mu     sync.Mutex
	queues map[Recipient]*groupQueue
}

// heads returns the bytes that the result takes in the headers of a message.
func (r *run) heads() int { return len(r.line) + len(r.args) + 2 }

// groupQueue holds the results for one dispatcher while messages are on their way to it.
type groupQueue struct {
	sent            int // results that were published together count as one
	waiting         []*run
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

// shared reports whether the result of a call may be stored in a group, by this attempt
// or another one: its dispatcher reads groups, and it has no side effects, so that a
// second attempt does no harm and only the first result counts. Calls that make others
// have fences, as those with side effects. It is also true for a call whose arguments were
// not judged: an earlier attempt may have judged them.
func shared(c *Call, j *engine.Job) bool {
	return c.Grouped && c.ConsentID == "" && j.Entry() != nil && !j.Invocation().Mutates && !rerunnable(j)
}

// takes reports whether the result is to be grouped.
func (g *groups) takes(r *run) bool {
	c := r.call
	return r.shared && !c.redelivered() && c.Moves == 0 && r.result.Status == protocol.StatusSuccess && time.Since(c.Received) < groupYoung &&
		len(r.line) > 0 && len(r.encoded) <= groupSmall && r.heads() <= groupSmall
}

// add publishes a result, or keeps it until the results before it are acknowledged.
func (g *groups) add(r *run) {
	to := Recipient{r.call.Tenant, r.call.Pool, r.call.Origin}
	g.mu.Lock()
	q := g.queues[to]
	if q == nil {
		q = &groupQueue{}
		g.queues[to] = q
	}
	q.waiting = append(q.waiting, r)
	q.bytes, q.recorded = q.bytes+len(r.encoded), q.recorded+r.heads()
	var all []*run
	if q.sent == 0 || q.full() {
		all = q.take()
	}
	g.mu.Unlock()
	g.publish(to, all)
}

func (q *groupQueue) full() bool {
	return len(q.waiting) >= groupResults || q.bytes > groupBytes-groupSmall || q.recorded > groupRecordBytes-groupSmall
}

// take returns the results that wait, to be published.
func (q *groupQueue) take() []*run {
	all := q.waiting
	q.waiting, q.bytes, q.recorded = nil, 0, 0
	q.sent++
	return all
}

// answered publishes the results that became ready while a message was on its way.
func (g *groups) answered(to Recipient) {
	g.mu.Lock()
	q := g.queues[to]
	q.sent--
	var all []*run
	switch {
	case len(q.waiting) > 0 && q.sent == 0:
		all = q.take()
	case q.sent == 0:
		delete(g.queues, to)
	}
	g.mu.Unlock()
	g.publish(to, all)
}

// publish stores results in one message. Results that are too old by now are stored by
// themselves, and so is a single one.
func (g *groups) publish(to Recipient, all []*run) {
	if len(all) == 0 {
		return
	}
	answered := sync.OnceFunc(func() { g.answered(to) })
	group, alone := make([]*run, 0, len(all)), []*run(nil)
	for _, r := range all {
		if g.takes(r) {
			group = append(group, r)
		} else {
			alone = append(alone, r)
		}
	}
	for len(group) > 0 {
		n := fitting(group, g.x.Results.GroupRoom())
		if n == 1 {
			alone = append(alone, group[0])
		} else {
			g.store(to, g.x.Worker+"-"+strconv.FormatUint(g.next.Add(1), 36), group[:n:n], answered)
		}
		group = group[n:]
	}
	for _, r := range alone {
		g.x.publishAlone(r, answered)
	}
}

// fitting returns how many of the results, at least one, fit a group of that many bytes.
func fitting(all []*run, room int64) int {
	size := int64(groupExtra)
	for i, r := range all {
		if size += int64(len(r.encoded) + r.heads() + len(r.call.ID) + resultExtra); i > 0 && size > room {
			return i
		}
	}
	return len(all)
}

// store stores a group and tries again until it is stored: the server has one of its id.
func (g *groups) store(to Recipient, id string, all []*run, answered func()) {
	x := g.x
	again := func() { x.retries.after(func() { g.store(to, id, all, func() {}) }) }
	if err := failpoint.Hit(failpoint.WorkerBeforeGroup); err != nil {
		answered()
		again()
		return
	}
	results := make([]Ended, len(all))
	for i, r := range all {
		results[i] = r.stored()
	}
	x.Results.StoreGroup(to, id, results, func(err error) {
		answered()
		if err == nil {
			err = failpoint.Hit(failpoint.WorkerAfterGroup)
		}
		end := stored
		switch {
		case errors.Is(err, ErrFull) && len(all) > 1:
			end = publishingAlone // a few may still fit
		case err != nil && !errors.Is(err, ErrExists):
			x.notStored("group of results not stored; trying again", id, err)
			again()
			return
		}
		for _, r := range all {
			x.advance(context.Background(), r, end)
		}
	})
}
