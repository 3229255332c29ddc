package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

// TestUpOpensNoServerToOthers: without authentication no listener is opened beyond
// loopback.
func TestUpOpensNoServerToOthers(t *testing.T) {
	for flag, says := range map[string]string{"--nats=0.0.0.0:0": "nats-auth", "--http=0.0.0.0:0": "auth.keys_file"} {
		var stderr bytes.Buffer
		args := []string{"up", "--data", t.TempDir(), "--nats=127.0.0.1:0", "--http=127.0.0.1:0", flag}
		code := cli.Run(t.Context(), args, strings.NewReader(""), &bytes.Buffer{}, &stderr, upCommand(nil))
		if code == 0 || !strings.Contains(stderr.String(), says) {
			t.Errorf("up %s = %d, %s; want it refused, naming %s", flag, code, stderr.String(), says)
		}
	}
}
