package config

import "time"

// LogSection is the log on standard error.
type LogSection struct {
	// Level is debug, info, warn or error.
	Level string `yaml:"level"`
	// Format is auto (console on a terminal, else JSON), json or console.
	Format string `yaml:"format"`
}

// TelemetrySection is tracing and profiling.
type TelemetrySection struct {
	// OTLPEndpoint is the base URL of an OTLP/HTTP collector.
	OTLPEndpoint string `yaml:"otlp_endpoint" mask:"url"`
	// ServiceName is the service.name; empty means the name of the program.
	ServiceName string `yaml:"service_name"`
	// SampleRatio is the fraction of traces recorded, 0 to 1.
	SampleRatio float64 `yaml:"sample_ratio"`
	// SampleParent applies the sampling decision in the traceparent of a caller.
	SampleParent bool `yaml:"sample_parent"`
	// TraceHosts are the external hosts that spans may name and that receive trace context:
	// HOST, HOST:PORT or *.HOST.
	TraceHosts []string `yaml:"trace_hosts"`
	// MetricsInterval is the interval of pushing metrics over OTLP; 0 pushes none.
	MetricsInterval time.Duration `yaml:"metrics_interval"`
	Pprof           bool          `yaml:"pprof"`
}
