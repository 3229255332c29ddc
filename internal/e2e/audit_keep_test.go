package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
)

// TestIndexLost removes the index. It is built again from the stream, and tells
// the same.
func TestIndexLost(t *testing.T) {
	t.Parallel()
	dir, tenant := t.TempDir(), newTenant()
	s, err := start(dir, plan{})
	if err != nil {
		t.Fatal(err)
	}
	e := park(t, s.http(0), tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	grant(t, s.http(0), tenant, e.ConsentID)
	settled(t, s.http(0), tenant, "g1")
	one(t, s.http(0), tenant, `{"tool": "debug.fail", "arguments": {"how": "error"}}`)
	var before []record
	eventually(t, "all is on record", func() bool {
		before, _ = records(t, s.http(0), tenant, nil)
		return len(before) == 5
	})
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "store", "audit.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the index lies in %q (%v)", files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	s, err = start(dir, plan{})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := records(t, s.http(0), tenant, nil); !slices.Equal(before, after) {
		t.Errorf("without its index the trail told\n%+v\nand with it\n%+v", after, before)
	}
	if v := verify(t, s.http(0), tenant); !v.OK || v.Records != 5 {
		t.Errorf("after the restart: %+v", v)
	}
}

// TestTrailIsFull: what would act unseen does not act, and says why. What only
// reads is still answered; its record waits, with the call on the queue, until
// there is room.
func TestTrailIsFull(t *testing.T) {
	t.Parallel()
	s, err := start(t.TempDir(), plan{config: func(c *config.Config) {
		c.Audit.MaxBytes, c.Worker.DrainTimeout = 24<<10, time.Second
	}})
	t.Cleanup(func() {
		if err := s.stop(); err != nil && !strings.Contains(err.Error(), "not every call was finished in time") {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	d := s.http(0)
	const tenant, most = "default", 200
	done, refused := 0, element{}
	for ; done < most && refused.Status == ""; done++ {
		if e := one(t, d, tenant, `{"tool": "debug.effect", "arguments": {"key": "k"}}`); e.Status != "success" {
			refused = e
			break
		}
	}
	if done == most {
		t.Fatalf("%d calls went onto a trail of 24 KiB", done)
	}
	wantError(t, refused, "internal", "audit.max_bytes")
	for range 3 {
		wantError(t, one(t, d, tenant, `{"tool": "debug.effect", "arguments": {"key": "unseen"}}`), "internal", "was not run")
		wantError(t, one(t, d, tenant, `{"tool": "write_file", "arguments": {"path": "unseen.txt", "content": "x"}}`), "internal", "was not run")
	}
	wantResult(t, one(t, d, tenant, echo("1")), "1")
	if lines := s.ledger(t, tenant); len(lines) != done || slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "unseen") }) {
		t.Errorf("the ledger has %d lines, want the %d of the calls that succeeded", len(lines), done)
	}
	if _, err := os.Stat(filepath.Join(s.cfg.Data, "workspaces", tenant, "_", "unseen.txt")); err == nil {
		t.Error("a file was written that is not on record")
	}
	if v := verify(t, d, tenant); !v.OK {
		t.Errorf("a full trail: %+v", v)
	}
	if calls := s.stream(t, "HELVE_CALLS").CachedInfo().State.Msgs; calls == 0 {
		t.Error("the queue let go of calls that are not on record")
	}
}
