package e2e

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
)

// TestOpenListenerIsRefused: without authentication nobody but loopback is
// served, and the refusal says what to configure.
func TestOpenListenerIsRefused(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		s, err := start(t.TempDir(), plan{config: func(c *config.Config) { c.HTTP.Addr = addr }})
		if err == nil || !strings.Contains(err.Error(), "auth.keys_file") {
			t.Errorf("a dispatcher on %s: %v, want it refused with what to configure", addr, err)
		}
		_ = s.stop() // the refused dispatcher says again why it ended
	}
}

// TestRetentionIsOnRecord: whoever shortens the trail leaves a mark in it.
func TestRetentionIsOnRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := func(bounded bool) []record {
		s, err := start(dir, plan{config: func(c *config.Config) {
			if bounded {
				c.Audit.MaxBytes = 1 << 30
			}
		}})
		defer func() {
			if err := s.stop(); err != nil {
				t.Errorf("the system did not drain: %v", err)
			}
		}()
		if err != nil {
			t.Fatal(err)
		}
		r := s.http(0).ask(t, "default", "audit.query", map[string]string{"phase": "retention_changed"}, "")
		return decode[struct {
			Records []record `json:"records"`
		}](t, r).Records
	}
	if got := kept(false); len(got) != 1 {
		t.Errorf("the first start left %d records, want one of what is in force", len(got))
	}
	if got := kept(false); len(got) != 1 {
		t.Errorf("a start that changes nothing: %d records, want 1", len(got))
	}
	if got := kept(true); len(got) != 2 {
		t.Errorf("after a change there are %d records, want 2", len(got))
	}
}
