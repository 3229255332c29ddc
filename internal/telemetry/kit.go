package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
)

// Kit is what every process watches itself with.
type Kit struct {
	Log     *zap.Logger
	Metrics *Metrics
	Health  *Health
	Tracing *Tracing
}

// KitOptions say how a process is watched; each field is as in the function
// that takes it.
type KitOptions struct {
	LogLevel, LogFormat string
	Tracing             TracingOptions
}

// KitFromConfig returns the options a process's configuration asks for; service
// names the process where the configuration does not.
func KitFromConfig(c config.Config, service string) KitOptions {
	return KitOptions{
		LogLevel: c.Log.Level, LogFormat: c.Log.Format,
		Tracing: TracingOptions{
			Endpoint: c.Telemetry.OTLPEndpoint, Service: cmp.Or(c.Telemetry.ServiceName, service), SampleRatio: c.Telemetry.SampleRatio,
		},
	}
}

// NewKit returns a kit that logs to w.
func NewKit(ctx context.Context, opts KitOptions, w io.Writer) (*Kit, error) {
	log, err := NewLogger(opts.LogLevel, opts.LogFormat, w)
	if err != nil {
		return nil, err
	}
	if opts.Tracing.Failed == nil {
		opts.Tracing.Failed = func(err error) { log.Warn("spans were lost", zap.Error(err)) }
	}
	tracing, err := NewTracing(ctx, opts.Tracing)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	return &Kit{Log: log, Metrics: NewMetrics(), Health: &Health{}, Tracing: tracing}, nil
}

// Close sends what is left of spans and log lines.
func (k *Kit) Close(ctx context.Context) {
	if err := k.Tracing.Shutdown(ctx); err != nil {
		k.Log.Warn("the last spans were lost", zap.Error(err))
	}
	_ = k.Log.Sync() // fails on terminals, where nothing is buffered
}
