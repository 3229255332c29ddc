package history

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/lib/latency"
)

// Step is the time between two samples. Processes take them at its multiples, so that their
// minutes are the same.
const Step = 10 * time.Second

// maxDue bounds the minutes that wait to be stored, while the store does not answer.
const maxDue = 60

// Sample holds the state of the pools at one time.
type Sample struct {
	At time.Time
	// Pools are the pools with live workers or waiting calls.
	Pools map[string]Pool
}

// Pool is the state of one pool.
type Pool struct {
	Workers []Worker
	// Backlog is the number of waiting calls; nil if it is not known.
	Backlog *int64
}

// Worker is a live worker, with the calls of the pool that ended there since it started.
type Worker struct {
	ID                string
	Since             time.Time
	Busy, Slots       int
	Succeeded, Failed uint64
	Times             latency.Counts
}

// History counts minutes and keeps them. It is safe for concurrent use.
type History struct {
	mu   sync.Mutex
	last time.Time // of the last sample
	// before holds the last counters of each worker, by pool and ID.
	before map[string]Worker
	// open is the minute that is being counted; due are those that are not stored yet.
	open Minute
	due  []Minute
	kept archive
}

// New returns a history that begins with a sample, whose calls are not counted.
func New(s Sample) *History {
	h := &History{last: s.At, before: map[string]Worker{}, kept: newArchive()}
	for name, p := range s.Pools {
		for _, w := range p.Workers {
			h.before[key(name, w)] = w
		}
	}
	return h
}

func key(pool string, w Worker) string { return pool + "\x00" + w.ID }

// Add counts what the workers did since the sample before.
func (h *History) Add(s Sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.last
	watched := s.At.Sub(before)
	if watched <= 0 {
		return
	}
	h.last = s.At
	m := h.count(s, before)
	// The time is that of the minute in which its middle lies: a timer is a little late.
	m.Number = before.Add(watched/2).Unix() / 60
	m.From, m.To, m.Watched = before.Sub(m.begin()).Milliseconds(), s.At.Sub(m.begin()).Milliseconds(), watched.Milliseconds()
	if h.open.Watched > 0 && h.open.Number == m.Number {
		m = h.open.then(m)
	} else {
		h.close()
	}
	h.open = m
	h.kept.counted(m, s.At)
	if m.To >= whole-margin {
		h.close()
	}
}

// close ends the open minute.
func (h *History) close() {
	if h.open.Watched == 0 {
		return
	}
	if h.due = append(h.due, h.open); len(h.due) > maxDue {
		h.due = h.due[1:]
	}
	h.open = Minute{}
}

// count returns what the workers did since their last announcement.
func (h *History) count(s Sample, before time.Time) Minute {
	m := Minute{Pools: map[string]Counts{}}
	now := map[string]Worker{}
	for name, p := range s.Pools {
		c := Counts{Backlog: p.Backlog}
		for _, w := range p.Workers {
			id := key(name, w)
			now[id] = w
			old, known := h.before[id]
			if !known && w.Since.Before(before.Add(-Step)) {
				old = w // it is not known what it did since then
			}
			c = c.beside(did(w, old))
		}
		m.Total = m.Total.beside(c)
		m.Pools[name] = c
	}
	h.before = now
	bound(m.Pools)
	return m
}

// did returns what a worker did since it announced before.
func did(w, before Worker) Counts {
	if !before.Since.Equal(w.Since) || before.Succeeded > w.Succeeded || before.Failed > w.Failed {
		before = Worker{}
	}
	return Counts{
		Succeeded: w.Succeeded - before.Succeeded, Failed: w.Failed - before.Failed, Times: w.Times.Since(before.Times),
		Busy: w.Busy, Slots: w.Slots,
	}
}

// Due returns the minutes that are over and not stored yet, the oldest first.
func (h *History) Due() []Minute {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Minute(nil), h.due...)
}

// End closes the open minute, for a process that ends.
func (h *History) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.close()
}

// Done notes that a due minute is stored.
func (h *History) Done(m Minute) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.due {
		if h.due[i].Number == m.Number && h.due[i].From == m.From {
			h.due = append(h.due[:i], h.due[i+1:]...)
			return
		}
	}
}

// Load has read call [History.Stored] for all minutes of the store, in the order of time. What was
// counted before is kept.
func (h *History) Load(read func() error) error {
	h.mu.Lock()
	own := h.kept.own
	h.kept = newArchive()
	h.mu.Unlock()
	err := read()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(own)) {
		h.kept.counted(own[number], h.last)
	}
	return err
}

// Stored takes a minute as the store has it.
func (h *History) Stored(m Minute) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept.stored(m, h.last)
}
