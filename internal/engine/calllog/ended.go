package calllog

import (
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/lib/latency"
)

// Ended counts the calls of a pool that ended here. The worker announces the counts, so that
// dispatchers know them without a metrics system. A nil value counts nothing.
type Ended struct {
	succeeded, failed atomic.Uint64
	times             latency.Histogram
}

// count counts a call that took so long from accepting to the end.
func (e *Ended) count(success bool, took time.Duration) {
	if e == nil {
		return
	}
	e.times.Observe(took)
	if success {
		e.succeeded.Add(1)
	} else {
		e.failed.Add(1)
	}
}

// Counts returns the counts since the start.
func (e *Ended) Counts() queue.EndedCalls {
	if e == nil {
		return queue.EndedCalls{}
	}
	return queue.EndedCalls{Succeeded: e.succeeded.Load(), Failed: e.failed.Load(), Times: e.times.Counts()}
}
