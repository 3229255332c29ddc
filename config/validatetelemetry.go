package config

import (
	"strings"
	"time"
)

// minMetricsInterval is the shortest interval of pushing metrics.
const minMetricsInterval = time.Second

var traceHost = pattern(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(:[1-9][0-9]{0,4})?$|^\[[0-9A-Fa-f:.]+\](:[1-9][0-9]{0,4})?$`)

func (c Config) checkTelemetry(v *verdict) {
	switch endpoint := c.Telemetry.OTLPEndpoint; {
	case strings.Contains(endpoint, "@"): // the exporter would silently drop them
		v.addf("telemetry.otlp_endpoint", "is %s; want it without credentials, which go into OTEL_EXPORTER_OTLP_HEADERS", show(endpoint))
	case endpoint != "":
		v.url("telemetry.otlp_endpoint", endpoint, "http", "https")
	}
	if r := c.Telemetry.SampleRatio; !(r >= 0 && r <= 1) { // NaN too
		v.addf("telemetry.sample_ratio", "is %v; want 0 to 1", r)
	}
	for _, host := range c.Telemetry.TraceHosts {
		v.matches("telemetry.trace_hosts", host, traceHost, "HOST, HOST:PORT or *.HOST such as api.example.com")
	}
	if every := c.Telemetry.MetricsInterval; every != 0 && every < minMetricsInterval {
		v.addf("telemetry.metrics_interval", "is %v; want at least %v, or 0 to push no metrics", every, minMetricsInterval)
	}
}
