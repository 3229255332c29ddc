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
		"nats.tls.insecure":    "nats.tls.cert",
		"dispatcher.max_calls": "dispatcher.max_calls_per_request",
	} {
		if got := nearest(in, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", in, got, want)
		}
	}
	if got := nearest(strings.Repeat("x", 1<<20), known); got == "" {
		t.Error("nearest of a very long key is empty, want some key")
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"slots", "slot", 1}, {"abc", "abc", 0}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
