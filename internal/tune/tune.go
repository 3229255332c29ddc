// Package tune sets what the Go runtime should know of Helve's processes.
//
// They mostly hold little and allocate much: with the runtime's own setting a worker
// collected its few megabytes of live heap many times a second. The package
// promises to leave alone whatever an operator has set.
package tune

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// quick lets the heap grow to three times what is live before it is collected.
	// Measured at 64 callers it saves a tenth of the CPU of dispatcher and worker;
	// what it costs is some tens of megabytes.
	quick = 200
	// sparing is the runtime's own, for a process that holds much: a dispatcher with a
	// thousand listeners would keep a hundred megabytes of garbage more.
	sparing = 100
	// spare is how much garbage a process may keep between those two: a worker with a
	// long queue stays below 150 MB.
	spare = 40 << 20
	// step keeps the pace where it is unless it is well off: to set it stops the world.
	step = 20
)

// GC sets the collector's pace, now and after each collection, unless GOGC or
// GOMEMLIMIT is set.
func GC() {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if os.Getenv(name) != "" {
			return
		}
	}
	debug.SetGCPercent(quick)
	after(quick)
}

// after waits for the next collection, which finds that nobody holds a mark.
func after(set int) {
	runtime.AddCleanup(&mark{}, func(set int) {
		if now := pace(live()); now != set {
			debug.SetGCPercent(now)
			set = now
		}
		after(set)
	}, set)
}

// mark has a pointer, so that it is an allocation of its own.
type mark struct{ _ *mark }

// pace is how far the heap may grow, in percent of what is live.
func pace(live uint64) int {
	if live == 0 {
		return quick
	}
	percent := int(min(spare*100/live, quick))
	return max(percent-percent%step, sparing)
}

// live is how many bytes the last collection found in use.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
