// Package gctune sets the pace of the garbage collector for Helve's processes.
//
// They mostly hold little and allocate much: with the runtime's default a worker
// collected its few megabytes of live heap many times a second. The package promises
// not to change a setting of the operator.
package gctune

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// quick lets the heap grow to three times what is live before it is collected.
	// Measured at 64 callers it saves a tenth of the CPU of dispatcher and worker; it
	// costs some tens of megabytes.
	quick = 200
	// sparing is the runtime's default, for a process with a large heap: a dispatcher
	// with a thousand listeners would keep another hundred megabytes of garbage.
	sparing = 100
	// spare is the garbage that a process may keep between those two, in bytes: a worker
	// with a long queue stays below 150 MB.
	spare = 40 << 20
	// step rounds the pace, so that it changes rarely: setting it stops the world.
	step = 20
)

// Set adjusts the collector's pace, now and after each collection, unless GOGC or
// GOMEMLIMIT is set.
func Set() {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if os.Getenv(name) != "" {
			return
		}
	}
	debug.SetGCPercent(quick)
	after(quick)
}

// after adjusts the pace after the next collection, which runs the cleanup of an
// unreachable mark.
func after(set int) {
	runtime.AddCleanup(&mark{}, func(set int) {
		if now := pace(live()); now != set {
			debug.SetGCPercent(now)
			set = now
		}
		after(set)
	}, set)
}

// mark has a pointer, so that the runtime allocates it separately.
type mark struct{ _ *mark }

// pace returns the growth of the heap until the next collection, in percent of the live
// heap.
func pace(live uint64) int {
	if live == 0 {
		return quick
	}
	percent := int(min(spare*100/live, quick))
	return max(percent-percent%step, sparing)
}

// live returns the bytes in use at the last collection.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
