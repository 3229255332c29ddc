package main

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

func TestFaultsUsage(t *testing.T) {
	for _, args := range [][]string{{"--calls", "0"}, {"--kills", "-1"}, {"--callers", "100000"}, {"extra"}} {
		var out, errs strings.Builder
		if code := cli.Execute(t.Context(), command(), append([]string{"faults"}, args...), strings.NewReader(""), &out, &errs); code != 2 ||
			errs.Len() == 0 {
			t.Errorf("%q = %d, %q, want 2 and why", args, code, errs.String())
		}
	}
}
