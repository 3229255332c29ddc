package callback

import (
	"container/heap"
	"time"
)

// timers are the entries that no lane has, the next one first.
type timers []*entry

// Len implements [heap.Interface].
func (t timers) Len() int { return len(t) }

// Less implements [heap.Interface].
func (t timers) Less(i, j int) bool { return t[i].at.Before(t[j].at) }

// Swap implements [heap.Interface].
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].index, t[j].index = i, j
}

// Push implements [heap.Interface].
func (t *timers) Push(x any) {
	e := x.(*entry)
	e.index = len(*t)
	*t = append(*t, e)
}

// Pop implements [heap.Interface].
func (t *timers) Pop() any {
	last := len(*t) - 1
	e := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	e.index = -1
	return e
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
	if r.timers[0] == e {
		select {
		case r.wake <- struct{}{}:
		default: // it wakes up already
		}
	}
}
