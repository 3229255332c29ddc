package dispatcher

import (
	"context"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/identity/expiry"
	"github.com/helve-dev/helve/internal/server/httpapi"
	"github.com/helve-dev/helve/internal/telemetry"
)

// measure reports the connection to NATS, the credentials and what clients have open, until
// life ends. The returned function ends the report.
func measure(life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, open *httpapi.Open) (stop func()) {
	go natsio.Measure(life, q.Conn, queue.StreamCalls)
	stopNATS := kit.Metrics.NATS(func() telemetry.NATSState { return telemetry.NATSState(natsio.StateOf(q.Conn)) })
	files := expiry.Of(cfg)
	stopRest := kit.Metrics.Read(func(set telemetry.Set) {
		set(telemetry.EventStreams, float64(open.Streams.Load()))
		set(telemetry.MCPRequests, float64(open.MCP.Load()))
		for credential, at := range files.Read() {
			set(telemetry.CredentialExpiry, float64(at.Unix()), credential)
		}
	})
	return func() { stopNATS(); stopRest() }
}
