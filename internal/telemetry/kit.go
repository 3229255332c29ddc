package telemetry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/helve-dev/helve/config"
)

// Kit holds the logger, metrics, health and tracing of a process.
type Kit struct {
	Log     *zap.Logger
	Metrics *Metrics
	Health  *Health
	Tracing *Tracing

	push *push                        // nil if metrics are not pushed
	out  *zapcore.BufferedWriteSyncer // nil on a terminal
}

const (
	// logBuffer and logFlush limit what a killed process can lose of its log.
	// Unbuffered, a write for each call was one of the most expensive actions of a
	// worker.
	logBuffer = 64 << 10
	logFlush  = 200 * time.Millisecond
)

// KitOptions configures a Kit; each field is as in the function that takes it.
type KitOptions struct {
	LogLevel, LogFormat string
	Tracing             TracingOptions
	// MetricsInterval is the interval of pushing metrics to the collector of Tracing; 0
	// pushes none.
	MetricsInterval time.Duration
	// Configuration identifies the settings in force; it may be empty.
	Configuration string
}

// serviceName returns the service.name of a program, such as helve-worker.
func serviceName(program string) string {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if strings.HasPrefix(name, "helve") {
		return name
	}
	return "helve-" + name
}

// KitFromConfig returns the options for a process's configuration; program names the
// service unless the configuration does.
func KitFromConfig(c config.Config, program string) KitOptions {
	return KitOptions{
		LogLevel: c.Log.Level, LogFormat: c.Log.Format, Configuration: fingerprint(c),
		MetricsInterval: c.Telemetry.MetricsInterval,
		Tracing: TracingOptions{
			Endpoint: c.Telemetry.OTLPEndpoint, Service: cmp.Or(c.Telemetry.ServiceName, serviceName(program)), SampleRatio: c.Telemetry.SampleRatio,
			OwnSampling: !c.Telemetry.SampleParent,
		},
	}
}

// fingerprint returns the start of a digest of the settings, without their secrets.
func fingerprint(c config.Config) string {
	text, err := c.YAML()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// NewKit returns a kit that logs to w.
func NewKit(ctx context.Context, opts KitOptions, w io.Writer) (*Kit, error) {
	kit := &Kit{Metrics: NewMetrics(), Health: &Health{}}
	kit.Metrics.Read(func(set Set) {
		set(Draining, truth(kit.Health.Draining()))
		if opts.Configuration != "" {
			set(ConfigInfo, 1, opts.Configuration)
		}
	})
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
		opts.Tracing.Failed = func(err error) { log.Warn("spans lost", zap.Error(err)) }
	}
	if opts.Tracing.Ended == nil {
		opts.Tracing.Ended = func(outcome SpanOutcome, n int) { kit.Metrics.Add(Spans, n, string(outcome)) }
	}
	tracing, err := NewTracing(ctx, opts.Tracing)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	kit.Tracing = tracing
	if opts.MetricsInterval > 0 {
		if kit.push, err = startPush(ctx, kit.Metrics, opts.MetricsInterval, opts.Tracing, log); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}
	return kit, nil
}

// closeTime bounds the time in which the last spans and metrics are sent.
const closeTime = 5 * time.Second

// Close sends the remaining spans, metrics and log lines.
func (k *Kit) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	if k.push != nil {
		k.push.close(ctx)
	}
	if err := k.Tracing.Shutdown(ctx); err != nil {
		k.Log.Warn("last spans lost", zap.Error(err))
	}
	if k.out != nil {
		_ = k.out.Stop() // the reader of the log is gone
	}
}
