package js

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/tool"
)

// MostHeld is the limit by which the memory in use of a process may grow while a script
// of an operator runs.
const MostHeld = 256 << 20

// Meter ends scripts of this process that make its memory grow too much. Live memory is
// known only for the whole process, so it ends one of the scripts that compute at that
// moment, the one during which memory grew most, then measures again, and so on. It is
// safe for concurrent use.
type Meter struct {
	most uint64

	mu      sync.Mutex
	timer   *time.Timer
	awake   bool      // the timer is set
	idle    time.Time // when the last script ended
	swept   time.Time // when the last collection was requested
	running map[*metered]struct{}
	stale   bool      // a run has ended since the last requested collection
	ending  *metered  // the run was ended, and still holds its memory
	told    time.Time // when it was ended
	sample  []metrics.Sample
}

// metered is one run. Its start is the live memory when it was first seen.
type metered struct {
	start uint64
	seen  bool
	waits atomic.Bool // for its host or a timer
	end   context.CancelCauseFunc
}

// waiting records that a run waits, until the returned function is called.
func (m *metered) waiting() (over func()) {
	if m == nil {
		return func() {}
	}
	m.waits.Store(true)
	return func() { m.waits.Store(false) }
}

const (
	// meterEvery is the interval at which the meter measures while scripts run. A
	// script that doubles a text gets twice as far in between.
	meterEvery = 2 * time.Millisecond
	// meterDoze is the time that the meter stays awake after the last script. Setting a
	// timer wakes a thread, which costs as much as a short script.
	meterDoze = 20 * time.Millisecond
	// meterPatience is the time that an ended script may take to stop before another
	// one is ended: its memory is not free earlier.
	meterPatience = 2 * time.Second
	// meterSweep is the shortest interval between garbage collections that the meter
	// requests.
	meterSweep = 50 * time.Millisecond
)

var errHeld = errors.New("the script held too much memory")

// NewMeter returns a meter that allows that many bytes; [MostHeld] for 0.
func NewMeter(most uint64) *Meter {
	if most == 0 {
		most = MostHeld
	}
	return &Meter{most: most, running: map[*metered]struct{}{}, sample: []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
	}}
}

// guard watches a run until the returned function is called.
func (m *Meter) guard(end context.CancelCauseFunc) (run *metered, done func()) {
	if m == nil {
		return nil, func() {}
	}
	run = &metered{end: end}
	m.mu.Lock()
	m.running[run] = struct{}{}
	if !m.awake {
		m.awake = true
		if m.timer == nil {
			m.timer = time.AfterFunc(meterEvery, m.look)
		} else {
			m.timer.Reset(meterEvery)
		}
	}
	m.mu.Unlock()
	return run, func() {
		m.mu.Lock()
		delete(m.running, run)
		if m.ending == run {
			m.ending = nil
		}
		m.idle, m.stale = time.Now(), true
		m.mu.Unlock()
	}
}

func (m *Meter) look() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.running) == 0 && time.Since(m.idle) > meterDoze {
		m.awake = false
		return
	}
	defer func() { m.timer.Reset(meterEvery) }()
	if len(m.running) == 0 || m.ending != nil && time.Since(m.told) < meterPatience {
		return
	}
	live, all := m.read()
	for run := range m.running {
		if !run.seen || live < run.start {
			run.seen, run.start = true, live
		}
	}
	worst := m.worst()
	if worst == nil || all < worst.start+m.most {
		return
	}
	if m.stale || live < worst.start+m.most {
		// It may be garbage, which a busy worker has as well, or the memory of a run that
		// has ended.
		if time.Since(m.swept) < meterSweep {
			return
		}
		runtime.GC()
		m.swept, m.stale = time.Now(), false
		if live, _ = m.read(); live < worst.start+m.most {
			return
		}
	}
	delete(m.running, worst)
	m.ending, m.told = worst, time.Now()
	worst.end(errHeld)
}

// worst returns the run during which live memory grew most, among those that compute if
// there are any.
func (m *Meter) worst() (worst *metered) {
	for run := range m.running {
		switch {
		case worst == nil, worst.waits.Load() && !run.waits.Load():
			worst = run
		case run.waits.Load() == worst.waits.Load() && run.start < worst.start:
			worst = run
		}
	}
	return worst
}

// read returns the memory that the last collection found alive, and that amount plus
// all allocations since.
func (m *Meter) read() (live, all uint64) {
	metrics.Read(m.sample)
	return m.sample[0].Value.Uint64(), m.sample[1].Value.Uint64()
}

// held returns the error of a script that the meter has ended.
func (m *Meter) held() *tool.Error {
	return tool.Fail(tool.ExecutionError, "the script held more than %d MB of memory; do it in smaller parts", m.most>>20)
}
