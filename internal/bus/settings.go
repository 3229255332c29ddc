package bus

import (
	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
)

// FromConfig returns the options a process's configuration asks for.
func FromConfig(c config.Config, log *zap.Logger) Options {
	return Options{
		URL: c.NATS.URL, Creds: c.NATS.Creds, Context: c.NATS.Context,
		CA: c.NATS.TLS.CA, Cert: c.NATS.TLS.Cert, Key: c.NATS.TLS.Key,
		ConnectTimeout: c.NATS.ConnectTimeout, Prefix: c.NATS.Prefix,
		Profile: c.Durability.Profile, MonitorURL: c.NATS.MonitorURL, Replicas: c.Durability.Replicas,
		CallsMaxAge: c.Streams.CallsMaxAge, CallsMaxBytes: int64(c.Streams.CallsMaxBytes),
		ResultsMaxAge: c.Streams.ResultsMaxAge, ResultsMaxBytes: int64(c.Streams.ResultsMaxBytes),
		EventsReplay: c.Streams.EventsReplay, AckWait: c.Worker.AckWait, Log: log,
	}
}
