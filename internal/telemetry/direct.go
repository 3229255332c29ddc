package telemetry

// Direct is the end of a direct call, which a dispatcher hands to a worker without queueing
// it.
type Direct uint8

// The ends of direct calls.
const (
	// DirectAnswered means that its result was received in time.
	DirectAnswered Direct = iota
	// DirectDeclined means that it was queued because no worker ran it.
	DirectDeclined
	// DirectLate means that it was queued because no result was received in time.
	DirectLate
)

// directOutcomes are the values of the label outcome.
var directOutcomes = [...]string{DirectAnswered: "answered", DirectDeclined: "declined", DirectLate: "late"}

// Direct counts a direct call.
func (m *Metrics) Direct(end Direct) { m.direct[end].Inc() }
