package program

import (
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/telemetry"
)

// The outcomes of turns, as in the metric.
const (
	turnEnded = "ended"
	turnWaits = "waits"
	// turnIdle is the outcome of a turn that waits again, and neither its code nor the program
	// that woke it has added to the journal.
	turnIdle  = "idle"
	turnAgain = "again"
)

// Measure reports how many programs are in which state. Every dispatcher knows all of them.
func (s *Service) Measure(set telemetry.Set) {
	states := map[durable.State]int{durable.Queued: 0, durable.Waiting: 0}
	s.index.each(func(k *known) {
		if k.state != durable.Done {
			states[k.state]++
		}
	})
	for state, n := range states {
		set(telemetry.Programs, float64(n), string(state))
	}
}

// count raises a counter, where there are metrics.
func (s *Service) count(f telemetry.Family, n int, labels ...string) {
	if s.Metrics != nil && n > 0 {
		s.Metrics.Add(f, n, labels...)
	}
}

// outcome returns the outcome of a turn whose program waits.
func (t *session) outcome() string {
	if t.program.Wake > 0 && !t.moved && !t.brought {
		return turnIdle
	}
	return turnWaits
}
