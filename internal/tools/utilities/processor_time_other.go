//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package utilities

import (
	"runtime/metrics"
	"time"
)

// processorTime is Go's own estimate, brought up to date by its garbage
// collector; it does not tell the system's part apart.
func processorTime() (user, system time.Duration) {
	sample := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64 {
		return 0, 0
	}
	return time.Duration(sample[0].Value.Float64() * float64(time.Second)), 0
}
