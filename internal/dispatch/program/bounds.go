package program

import (
	"time"

	"github.com/helve-dev/helve/internal/durable"
)

// entryBytes bounds the results in one entry of a journal and in one answer, beside the first of
// them: both are messages, and a server takes 8 MiB.
const entryBytes = 2 << 20

// fitting returns how many of the next events are stored and shown together: all, or as many as fit.
func fitting(events []durable.Event) (n int) {
	size := 0
	for n < len(events) && (n == 0 || size+len(events[n].Value) <= entryBytes) {
		size += len(events[n].Value)
		n++
	}
	return n
}

// clock returns the time for the program, which is that of the process that woke it. That process
// may have a clock that is minutes ahead of this one, and a turn that did not agree that a sleep is
// over would wait again, and be woken again, for all of these minutes.
func (t *session) clock() time.Time { return time.Now().Add(t.ahead) }

// aheadOf returns by how much the clock of the process that woke a program is ahead of this one.
func aheadOf(p *durable.Program) time.Duration { return max(0, time.Until(time.UnixMilli(p.WokenMS))) }
