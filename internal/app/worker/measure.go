package worker

import (
	"context"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/expiry"
	"github.com/helve-dev/helve/internal/telemetry"
)

// shownHash is the number of hex digits of a digest that a label shows.
const shownHash = 12

// measure reports the connection to NATS, the credentials and the rules in force,
// until life ends. The returned function ends the report.
func (w *Worker) measure(life context.Context) (stop func()) {
	go natsio.Measure(life, w.queue.Conn, streams.Calls)
	stopNATS := w.kit.Metrics.NATS(func() telemetry.NATSState { return telemetry.NATSState(natsio.StateOf(w.queue.Conn)) })
	files := expiry.Of(w.cfg)
	stopRest := w.kit.Metrics.Read(func(set telemetry.Set) {
		rules := w.rules.InForce()
		set(telemetry.PolicyRules, float64(rules.Rules))
		set(telemetry.PolicyInfo, 1, rules.SHA256[:min(shownHash, len(rules.SHA256))])
		set(telemetry.PolicyLoaded, float64(w.rulesSince.Load()))
		for credential, at := range files.Read() {
			set(telemetry.CredentialExpiry, float64(at.Unix()), credential)
		}
	})
	return func() { stopNATS(); stopRest() }
}
