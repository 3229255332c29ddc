package people

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestOpenListenerIsRefused: without authentication only loopback listeners are allowed,
// and the error names the setting.
func TestOpenListenerIsRefused(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		s, err := system.Start(t.TempDir(), system.Plan{Config: func(c *config.Config) { c.HTTP.Addr = addr }})
		if err == nil || !strings.Contains(err.Error(), "auth.keys_file") {
			t.Errorf("a dispatcher on %s: %v, want it refused with what to configure", addr, err)
		}
		_ = s.Stop() // the refused dispatcher repeats why it ended
	}
}

// TestRetentionIsOnRecord: shortening the retention of the trail is recorded in it.
func TestRetentionIsOnRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := func(bounded bool) []system.Record {
		s, err := system.Start(dir, system.Plan{Config: func(c *config.Config) {
			if bounded {
				c.Audit.MaxBytes = 1 << 30
			}
		}})
		defer func() {
			if err := s.Stop(); err != nil {
				t.Errorf("the system did not drain: %v", err)
			}
		}()
		if err != nil {
			t.Fatal(err)
		}
		r := s.HTTP(0).Ask(t, "default", "audit.query", map[string]string{"phase": "retention_changed"}, "")
		return system.Decode[struct {
			Records []system.Record `json:"records"`
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
