package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/helve-dev/helve/config"
)

// Kit is what every process watches itself with.
type Kit struct {
	Log     *zap.Logger
	Metrics *Metrics
	Health  *Health
	Tracing *Tracing

	out *zapcore.BufferedWriteSyncer // nil on a terminal
}

const (
	// logBuffer and logFlush bound what a killed process can lose of its log:
	// a write for each call was one of the dearest things a worker did.
	logBuffer = 64 << 10
	logFlush  = 200 * time.Millisecond
)

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
	kit := &Kit{Metrics: NewMetrics(), Health: &Health{}}
	if !isTerminal(w) {
		kit.out = &zapcore.BufferedWriteSyncer{WS: zapcore.Lock(zapcore.AddSync(w)), Size: logBuffer, FlushInterval: logFlush}
		w = kit.out
	}
	log, err := NewLogger(opts.LogLevel, opts.LogFormat, w)
	if err != nil {
		return nil, err
	}
	kit.Log = log
	if opts.Tracing.Failed == nil {
		opts.Tracing.Failed = func(err error) { log.Warn("spans were lost", zap.Error(err)) }
	}
	tracing, err := NewTracing(ctx, opts.Tracing)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	kit.Tracing = tracing
	return kit, nil
}

// Close sends what is left of spans and log lines.
func (k *Kit) Close(ctx context.Context) {
	if err := k.Tracing.Shutdown(ctx); err != nil {
		k.Log.Warn("the last spans were lost", zap.Error(err))
	}
	if k.out != nil {
		_ = k.out.Stop() // whoever reads the log is gone
	}
}
