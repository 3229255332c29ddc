package history

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/lib/latency"
)

const (
	// Step is the time between two samples.
	Step = 10 * time.Second
	// steps is the number of samples that are kept: an hour.
	steps = 360
	// maxPools bounds the pools; the calls of others count in the total only.
	maxPools = 200
)

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

// History keeps samples. It is safe for concurrent use.
type History struct {
	mu    sync.Mutex
	since time.Time
	last  time.Time
	times [steps]time.Time
	next  int // where the next sample goes
	count int
	total series
	pools map[string]*series
	// before holds the last counters of each worker, by pool and ID.
	before map[string]Worker
}

// series is the ring of one pool.
type series struct {
	points [steps]point
	// used is the number of points until nothing is left of the pool.
	used int
}

// point holds the values of one step. A negative time or backlog is not known.
type point struct {
	success, failed float64
	p50, p99        float64
	backlog         int64
	busy, slots     int
}

const unknown = -1

// idle is the point of a pool that was not there.
func idle() point { return point{p50: unknown, p99: unknown, backlog: unknown} }

// New returns an empty history that begins at a time.
func New(at time.Time) *History {
	return &History{since: at, last: at, pools: map[string]*series{}, before: map[string]Worker{}}
}

// Add adds a sample.
func (h *History) Add(s Sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.last
	seconds := s.At.Sub(before).Seconds()
	if seconds <= 0 {
		return
	}
	h.last = s.At
	now := map[string]Worker{}
	var sum gathered
	for _, name := range slices.Sorted(maps.Keys(s.Pools)) {
		var of gathered
		for _, w := range s.Pools[name].Workers {
			key := name + "\x00" + w.ID
			now[key] = w
			old, known := h.before[key]
			if !known && w.Since.Before(before.Add(-Step)) {
				old = w // it is not known what it did since then
			}
			of.add(w, old)
		}
		of.wait(s.Pools[name].Backlog)
		sum.join(of)
		r := h.pools[name]
		if r == nil && len(h.pools) < maxPools {
			r = newSeries()
			h.pools[name] = r
		}
		if r != nil {
			r.points[h.next], r.used = of.point(seconds), steps
		}
	}
	h.before = now
	h.total.points[h.next] = sum.point(seconds)
	h.times[h.next] = s.At
	for name, r := range h.pools {
		if _, there := s.Pools[name]; there {
			continue
		}
		r.points[h.next] = idle()
		if r.used--; r.used == 0 { // an hour ago
			delete(h.pools, name)
		}
	}
	h.next = (h.next + 1) % steps
	h.count = min(h.count+1, steps)
}

func newSeries() *series {
	s := &series{}
	for i := range s.points {
		s.points[i] = idle()
	}
	return s
}

// gathered is a point in the making.
type gathered struct {
	succeeded, failed uint64
	times             latency.Counts
	backlog           int64
	known             bool
	busy, slots       int
}

// add adds what a worker did since it announced before.
func (g *gathered) add(w, before Worker) {
	g.busy += w.Busy
	g.slots += w.Slots
	if !before.Since.Equal(w.Since) || before.Succeeded > w.Succeeded || before.Failed > w.Failed {
		before = Worker{}
	}
	g.succeeded += w.Succeeded - before.Succeeded
	g.failed += w.Failed - before.Failed
	g.times = g.times.Plus(w.Times.Since(before.Times))
}

func (g *gathered) wait(backlog *int64) {
	if backlog != nil {
		g.known = true
		g.backlog += *backlog
	}
}

func (g *gathered) join(o gathered) {
	g.succeeded, g.failed = g.succeeded+o.succeeded, g.failed+o.failed
	g.times = g.times.Plus(o.times)
	g.busy, g.slots = g.busy+o.busy, g.slots+o.slots
	if o.known {
		g.wait(&o.backlog)
	}
}

func (g *gathered) point(seconds float64) point {
	p := idle()
	p.success, p.failed = float64(g.succeeded)/seconds, float64(g.failed)/seconds
	p.busy, p.slots = g.busy, g.slots
	if g.known {
		p.backlog = g.backlog
	}
	if median, ok := g.times.Quantile(0.5); ok {
		high, _ := g.times.Quantile(0.99)
		p.p50, p.p99 = milliseconds(median), milliseconds(high)
	}
	return p
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
