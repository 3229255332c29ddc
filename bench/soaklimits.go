package bench

import (
	"time"

	"github.com/helve-dev/helve/bench/trend"
)

// The limits of growth in a soak: per hour in MB, goroutines, files and consumers; per kept
// message in bytes of the broker's memory; per call in bytes of a stream that keeps nothing
// for a call.
const (
	soakMemory      = 1
	soakThings      = 1
	soakMessageRSS  = 1000
	soakMessageLive = 400
	soakNothing     = 1
)

// The noise is the gain over a whole run that is not a leak, because the run is too short to
// tell; it is smaller in proportion in a run longer than soakSettled. SQLite's page caches,
// 64 MiB for writing and 16 MiB for each reader, are no part of the heap and fill in the first
// minutes. A dispatcher also remembers which of the last calls have a result, as many as two
// million or those of twenty minutes (package trail).
const (
	soakNoiseRSS    = 96
	soakNoiseLive   = 8
	soakNoiseFirsts = 40
	soakNoiseThings = 60
	soakNoiseFiles  = 20
	soakNoiseStream = 4e6
	soakNoiseAll    = 64e6
	soakSettled     = 30 * time.Minute
)

// soakBytes holds the bytes that each stream keeps for a call of the mix, measured and
// rounded up by a third; a stream that is not listed keeps nothing for a call.
var soakBytes = map[string]float64{
	"HELVE_RESULTS":   1670,
	"HELVE_AUDIT":     1200,
	"HELVE_SEALS":     80,
	"HELVE_ONCE":      50,
	"HELVE_PARKED":    50,
	"HELVE_DECISIONS": 26,
	"HELVE_TIMERS":    8,
}

// The files grow with the streams, and the databases with calls and notes.
var (
	soakFiles = trend.Limit{Growth: 3100, Noise: soakNoiseAll}
	soakIndex = trend.Limit{Growth: 260, Noise: soakNoiseAll}
	soakStore = trend.Limit{Growth: 160, Noise: soakNoiseAll}
)

func soakStream(name string) trend.Limit {
	return trend.Limit{Growth: max(soakBytes[name], soakNothing), Noise: soakNoiseStream}
}
