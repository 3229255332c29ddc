package callback

import (
	"container/heap"
	"time"
)

// timers are the entries that no lane has, the next one first.
type timers struct{ all []*entry }

// Len implements [heap.Interface].
func (t *timers) Len() int { return len(t.all) }

// Less implements [heap.Interface].
func (t *timers) Less(i, j int) bool { return t.all[i].at.Before(t.all[j].at) }

// Swap implements [heap.Interface].
func (t *timers) Swap(i, j int) {
	t.all[i], t.all[j] = t.all[j], t.all[i]
	t.all[i].index, t.all[j].index = i, j
}

// Push implements [heap.Interface].
func (t *timers) Push(x any) {
	if e, ok := x.(*entry); ok {
		e.index = len(t.all)
		t.all = append(t.all, e)
	}
}

// Pop implements [heap.Interface].
func (t *timers) Pop() any {
	last := len(t.all) - 1
	e := t.all[last]
	t.all[last] = nil
	t.all = t.all[:last]
	e.index = -1
	return e
}

// next returns the first entry, nil if there is none.
func (t *timers) next() *entry {
	if len(t.all) == 0 {
		return nil
	}
	return t.all[0]
}

// schedule sets the time of an entry. If a lane has it, it is taken up again when the lane is
// done with it. The caller holds mu.
func (r *run) schedule(e *entry, at time.Time) {
	switch {
	case e.index >= 0:
		e.at = at
		heap.Fix(&r.timers, e.index)
	case e.laned:
		e.again = true
		return
	default:
		e.at = at
		heap.Push(&r.timers, e)
	}
	if r.timers.next() == e {
		select {
		case r.wake <- struct{}{}:
		default: // it wakes up already
		}
	}
}
