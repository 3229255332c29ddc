package telemetry

import "time"

// NATSState is the state of a process's connection to NATS.
type NATSState struct {
	// RoundTrip is the time of the last ping, JetStream that of the last request to
	// JetStream; 0 before the first. Up is set if that request was answered.
	RoundTrip, JetStream time.Duration
	Up                   bool
	Reconnects           uint64
	// Leases are the leases that the process holds, and whether it holds them now.
	Leases map[string]bool
}

// NATS reports the state that read returns at each scrape, until the returned function is
// called.
func (m *Metrics) NATS(read func() NATSState) (stop func()) {
	return m.Read(func(set Set) {
		s := read()
		set(NATSRoundTrip, s.RoundTrip.Seconds())
		set(JetStreamRoundTrip, s.JetStream.Seconds())
		set(JetStreamUp, truth(s.Up))
		set(NATSReconnects, float64(s.Reconnects))
		for name, held := range s.Leases {
			set(LeaseHeld, truth(held), name)
		}
	})
}
