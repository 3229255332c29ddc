package bus

import (
	"sync"
	"time"
)

// journal keeps the events this process told, by trace, so that a listener who
// comes late can be told again. It is bounded in time and in size; what is
// older is forgotten.
type journal struct {
	keep time.Duration

	mu     sync.Mutex
	ring   []told
	first  int // index of the oldest entry in ring
	count  int
	bytes  int
	traces map[string]int // entries of each trace, to answer "nothing" at once
}

type told struct {
	at    time.Time
	trace string // "<tenant>/<trace_id>"
	data  []byte
}

const (
	journalEntries = 1 << 16
	journalBytes   = 16 << 20
)

func newJournal(keep time.Duration) *journal {
	return &journal{keep: keep, traces: map[string]int{}}
}

func (j *journal) add(trace string, now time.Time, data []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.count > 0 && (j.count >= journalEntries || j.bytes+len(data) > journalBytes || now.Sub(j.ring[j.first].at) > j.keep) {
		j.drop()
	}
	e := told{at: now, trace: trace, data: data}
	if j.count == len(j.ring) {
		j.grow()
	}
	j.ring[(j.first+j.count)%len(j.ring)] = e
	j.count++
	j.bytes += len(data)
	j.traces[trace]++
}

func (j *journal) drop() {
	e := &j.ring[j.first]
	j.bytes -= len(e.data)
	if j.traces[e.trace]--; j.traces[e.trace] == 0 {
		delete(j.traces, e.trace)
	}
	*e = told{}
	j.first = (j.first + 1) % len(j.ring)
	j.count--
}

func (j *journal) grow() {
	next := make([]told, max(64, 2*len(j.ring)))
	for i := range j.count {
		next[i] = j.ring[(j.first+i)%len(j.ring)]
	}
	j.ring, j.first = next, 0
}

// of returns the events of a trace, oldest first.
func (j *journal) of(trace string) [][]byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := j.traces[trace]
	if n == 0 {
		return nil
	}
	events := make([][]byte, 0, n)
	for i := range j.count {
		if e := &j.ring[(j.first+i)%len(j.ring)]; e.trace == trace {
			events = append(events, e.data)
		}
	}
	return events
}
