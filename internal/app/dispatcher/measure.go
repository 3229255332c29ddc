package dispatcher

import (
	"context"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/expiry"
	"github.com/helve-dev/helve/internal/server/httpapi"
	"github.com/helve-dev/helve/internal/telemetry"
)

// measure reports the connection to NATS, the credentials and what clients have open, until
// life ends. The returned function ends the report.
func measure(life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, open *httpapi.Open) (stop func()) {
	go natsio.Measure(life, q.Conn, streams.Calls)
	go watchStreams(life, q, kit.Metrics)
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

// watchStreams reports the streams, and the storage of their account, until ctx ends.
func watchStreams(ctx context.Context, q *queue.Queue, m *telemetry.Metrics) {
	q.WatchFill(ctx, func(f streams.Fill) {
		if f.Err != nil {
			m.StreamDown(f.Stream)
			return
		}
		m.Stream(f.Stream, telemetry.StreamState{
			Bytes: f.Bytes, MaxBytes: f.MaxBytes, Messages: f.Messages, MaxMessages: f.MaxMessages, Ratio: f.Ratio(), Holds: f.Holds,
			Replicas: f.Replicas, Current: f.Current,
		})
		if f.Stream != streams.Calls {
			return
		}
		if used, limit, err := q.Storage(ctx); err == nil {
			m.Storage(used, limit)
		}
	})
}
