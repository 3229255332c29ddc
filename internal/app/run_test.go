package app

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/version"
)

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string // what they hold
	}{
		{"version", []string{"--version"}, OK, "worker " + version.String(), ""},
		{"a stray argument", []string{"pools=a"}, Usage, "", `worker takes no arguments, but got "pools=a"`},
		{"an argument behind a flag", []string{"--slots", "2", "now"}, Usage, "", `"now"`},
		{"an unknown flag", []string{"--nope"}, Usage, "", "--nope"},
		{"settings", []string{"--print-config"}, OK, "slots:", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			o := Options{Role: config.Worker, Args: append([]string{"/usr/bin/worker"}, tt.args...), Stdout: &stdout, Stderr: &stderr}
			code := Run(context.Background(), o, func(config.Config, *telemetry.Kit) error {
				t.Error("the program was started, want only an answer")
				return nil
			})
			if code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d, %q, %q", code, &stdout, &stderr, tt.code, tt.stdout, tt.stderr)
			}
		})
	}
}

func TestClientVariables(t *testing.T) {
	o := Options{
		Role:   config.Worker,
		Args:   []string{"worker"},
		Env:    []string{"HELVE_TOKEN=hk_1", "HELVE_SERVER=http://x"},
		Stdout: new(bytes.Buffer),
		Stderr: new(bytes.Buffer),
	}
	started := false
	if code := Run(context.Background(), o, func(config.Config, *telemetry.Kit) error { started = true; return nil }); code != OK || !started {
		t.Errorf("exit code %d, started %t: the client's variables stop the server\n%s", code, started, o.Stderr)
	}
}
