package main

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

func TestBenchUsage(t *testing.T) {
	for _, args := range [][]string{
		{"bench", "--callers", "0"},
		{"bench", "--seconds", "0"},
		{"bench", "--rounds", "0"},
		{"bench", "--only", "grpc"},
		{"bench", "--scenario", "consent", "--parked", "-1"},
	} {
		var out, errs strings.Builder
		if code := cli.Run(t.Context(), args, strings.NewReader(""), &out, &errs, benchCommand()); code != 2 || errs.Len() == 0 {
			t.Errorf("%q = %d, %q, want 2 and why", args, code, errs.String())
		}
	}
}

func TestBenchHidesItsProcesses(t *testing.T) {
	var out, errs strings.Builder
	cli.Run(t.Context(), []string{"--help"}, strings.NewReader(""), &out, &errs, benchCommand(), benchNodeCommand())
	if !strings.Contains(out.String(), "bench ") || strings.Contains(out.String(), nodeName) {
		t.Errorf("help says %q, want bench and not %s", out.String(), nodeName)
	}
}
