package config

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	c := Default()
	known := keys(&c)
	for in, want := range map[string]string{
		"nats.urll":            "nats.url",
		"nat.url":              "nats.url",
		"slots":                "worker.slots",
		"dispatcher.slots":     "worker.slots",
		"natsurl":              "nats.url",
		"toolsdir":             "tools_dirs",
		"telemetry.otlp":       "telemetry.otlp_endpoint",
		"nats.tls.insecure":    "",
		"dispatcher.max_calls": "dispatcher.max_calls_per_request",
	} {
		if got := nearestKey(in, known); got != want {
			t.Errorf("nearestKey(%q) = %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{strings.Repeat("x", 1<<20), "password", "x", "HELVE_FOO"} {
		if got := nearestKey(in, known); got != "" {
			t.Errorf("nearestKey(%.20q) = %q, want none: nothing is near", in, got)
		}
	}
}
