package main

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"--callers", "0"},
		{"--seconds", "0"},
		{"--rounds", "0"},
		{"--only", "grpc"},
		{"--scenario", "consent", "--parked", "-1"},
	} {
		var out, errs strings.Builder
		if code := cli.Execute(t.Context(), command(), args, strings.NewReader(""), &out, &errs); code != 2 || errs.Len() == 0 {
			t.Errorf("%q = %d, %q, want 2 and why", args, code, errs.String())
		}
	}
}

func TestHelpHidesTheProcesses(t *testing.T) {
	var out, errs strings.Builder
	cli.Execute(t.Context(), command(), []string{"--help"}, strings.NewReader(""), &out, &errs)
	if !strings.Contains(out.String(), "helve-bench [SCENARIO...]") || strings.Contains(out.String(), nodeName+" ROLE") {
		t.Errorf("help says %q, want the usage and no command %s", out.String(), nodeName)
	}
}
