//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package cputime

import (
	"runtime/metrics"
	"time"
)

// Used returns Go's own estimate, refreshed by its garbage collector; it does not
// include system time separately.
func Used() (user, system time.Duration) {
	sample := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64 {
		return 0, 0
	}
	return time.Duration(sample[0].Value.Float64() * float64(time.Second)), 0
}
