package queue

import (
	"crypto/rand"
	"strings"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// FromConfig returns the options of a process's configuration. Role is "dispatcher" or
// "worker"; the process is named after it.
func FromConfig(c config.Config, role string, log *zap.Logger) Options {
	return Options{Options: streams.Options{
		Options: natsio.Options{
			Name: "helve-" + role, ID: role[:1] + "-" + strings.ToLower(rand.Text()[:10]),
			URL: c.NATS.URL, Creds: c.NATS.Creds, Context: c.NATS.Context,
			CA: c.NATS.TLS.CA, Cert: c.NATS.TLS.Cert, Key: c.NATS.TLS.Key,
			ConnectTimeout: c.NATS.ConnectTimeout, Prefix: c.NATS.Prefix, Replicas: c.Durability.Replicas, Log: log,
		},
		StoreDir: c.NATS.StoreDir, Accepts: role == "dispatcher", Waits: role == "worker" && (c.NATS.Creds != "" || c.NATS.Context != ""),
		Profile: c.Durability.Profile, MonitorURL: c.NATS.MonitorURL,
		CallsMaxAge: c.Streams.CallsMaxAge, CallsMaxBytes: int64(c.Streams.CallsMaxBytes),
		ResultsMaxAge: c.Streams.ResultsMaxAge, ResultsMaxBytes: int64(c.Streams.ResultsMaxBytes),
		ResultsMaxMessages: int64(c.Streams.ResultsMaxMessages), OnceMaxBytes: int64(c.Streams.OnceMaxBytes),
		OnceMaxMessages:   int64(c.Streams.OnceMaxMessages),
		CallbacksMaxBytes: int64(c.Callbacks.MaxBytes), CallbacksMaxMessages: int64(c.Callbacks.MaxMessages),
		AuditMaxAge: c.Audit.MaxAge, AuditMaxBytes: int64(c.Audit.MaxBytes),
		ConsentTTL: max(c.Consent.TTL, c.Consent.HighTTL), StepTTL: c.Durable.ConsentTTL, ConsentsPerUser: int64(c.Consent.MaxPerUser),
	}, EventsReplay: c.Streams.EventsReplay, AckWait: c.Worker.AckWait, Weights: c.Share.WeightOf()}
}
