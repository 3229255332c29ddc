package config

import (
	"strings"
	"testing"
)

func TestMaskURLs(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "",
		"nats://h:1":                    "nats://h:1",
		"nats://u:hunter2@h:1":          "nats://u:xxxxx@h:1",
		"nats://hunter2@h":              "nats://xxxxx@h",
		"nats://u:hunter2@a,nats://b":   "nats://u:xxxxx@a,nats://b",
		"nats://u:hunter2,more@h":       "nats://xxxxx@h",
		"nats://u:5,hunter2@h":          "nats://xxxxx@h",
		"nats://u:hunter2/more@h":       "nats://xxxxx@h",
		"nats://u:1/hunter2@h":          "nats://xxxxx@h",
		"u:hunter2@h:1":                 "xxxxx@h:1",
		"nats://a:1,u:hunter2@h:1":      "nats://xxxxx@h:1",
		"hunter2@://b@h":                "xxxxx@h",
		"nats://u:hunter2%zz@h":         "nats://xxxxx@h",
		"nats://u:hunter2@h/p@th":       "nats://xxxxx@th",
		"127.0.0.1:4222":                "127.0.0.1:4222",
		"nats://u:hunter2@h, nats://h2": "nats://u:xxxxx@h, nats://h2",
	} {
		if got := maskURLs(in); got != want || strings.Contains(got, "hunter2") {
			t.Errorf("maskURLs(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestProblemsHidePasswords(t *testing.T) {
	for _, src := range []Source{
		{Env: []string{"HELVE_NATS_URL=http://u:hunter2@h"}},
		{Env: []string{"HELVE_NATS_URL=nats://u:hunter2@h:port"}},
		{Env: []string{"HELVE_NATS_CONNECT_TIMEOUT=nats://u:hunter2@h"}},
		{Flags: parsed(t, Up, "--nats", "nats://u:hunter2@h:1")},
		{File: file(t, "worker: {pools: ['nats://u:hunter2@h']}")},
	} {
		_, err := Load(src)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Load(%+v) = %v, want an error without the password", src, err)
		}
	}
}

func TestShowCutsLongValues(t *testing.T) {
	if got := show(strings.Repeat("é", 1000)); len(got) > 2*longestShown {
		t.Errorf("show of a long value is %d bytes, want at most %d", len(got), 2*longestShown)
	}
}
