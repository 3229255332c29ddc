package child

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// watchdog ends the child when its run uses too much memory. The collector alone would slow
// the run down without ending it; the kernel limits only address space.
type watchdog struct {
	// base is the memory of an idle child, including garbage of its start: a megabyte that
	// is not collected, since that takes a third as long as the start itself.
	base  uint64
	limit uint64 // of the run, beyond base

	mu      sync.Mutex
	timer   *time.Timer
	awake   bool // the timer is set
	running bool
	since   time.Time // when the run began, or the last one ended
	fresh   bool      // not yet measured in this run
	over    time.Time // the first time that live memory and garbage exceeded the limit
	samples []metrics.Sample
}

const (
	arm  = time.Millisecond // most runs are shorter, and are not measured
	poll = time.Millisecond
	// spell is the time for which live memory and garbage may exceed the limit, so that the
	// collector can free some.
	spell = 50 * time.Millisecond
	// doze is the time after a run at which the watchdog stops. Setting a timer wakes the
	// thread that waits for timers, which costs as much as a short script.
	doze = 10 * time.Millisecond
)

func newWatchdog(memory int64) *watchdog {
	w := &watchdog{samples: []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}}
	_, w.base = w.look()
	w.bound(uint64(memory))
	w.timer = time.AfterFunc(time.Hour, w.watch)
	return w
}

// look returns the bytes found alive by the last collection, and those plus all later
// allocations.
func (w *watchdog) look() (live, objects uint64) {
	metrics.Read(w.samples)
	return w.samples[0].Value.Uint64(), w.samples[1].Value.Uint64()
}

func (w *watchdog) bound(limit uint64) {
	if limit != w.limit {
		w.limit = limit
		debug.SetMemoryLimit(int64(w.base + limit))
	}
}

// guard starts to watch a run.
func (w *watchdog) guard(memory int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bound(uint64(memory))
	w.fresh = true
	w.start()
}

// goOn watches a run again that rested.
func (w *watchdog) goOn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.start()
}

func (w *watchdog) start() {
	w.running, w.since, w.over = true, time.Now(), time.Time{}
	if !w.awake {
		w.awake = true
		w.timer.Reset(arm)
	}
}

func (w *watchdog) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running, w.since = false, time.Now()
}

func (w *watchdog) watch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	past := time.Since(w.since)
	switch {
	case !w.running && past > doze:
		w.awake = false
		return
	case !w.running || past < arm:
		w.timer.Reset(poll)
		return
	}
	live, objects := w.look()
	if w.fresh && objects > w.base+w.limit/2 {
		runtime.GC() // the garbage of the last run must not count for this one
		live, objects = w.look()
	}
	w.fresh = false
	if w.breached(live, objects, time.Now()) {
		os.Exit(ExitMemory) //nolint:forbidigo,gocritic // no other report of this process could be trusted
	}
	w.timer.Reset(poll)
}

// breached reports whether a measurement exceeds the limit: the live memory does, or live
// memory and garbage do by far or for a while.
func (w *watchdog) breached(live, objects uint64, now time.Time) bool {
	most := w.base + w.limit
	switch {
	case objects <= most:
		w.over = time.Time{}
	case w.over.IsZero():
		w.over = now
	}
	return live > most || objects > most+w.limit/2 || objects > most && now.Sub(w.over) > spell
}
