package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestIndexLost removes the index. It is rebuilt from the stream with the same content.
func TestIndexLost(t *testing.T) {
	t.Parallel()
	dir, tenant := t.TempDir(), system.NewTenant()
	s, err := system.Start(dir, system.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	e := system.Park(t, s.HTTP(0), tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	system.Grant(t, s.HTTP(0), tenant, e.ConsentID)
	system.Settled(t, s.HTTP(0), tenant, "g1")
	system.One(t, s.HTTP(0), tenant, `{"tool": "debug.fail", "arguments": {"how": "error"}}`)
	var before []system.Record
	system.Eventually(t, "all is on record", func() bool {
		before, _ = system.QueryRecords(t, s.HTTP(0), tenant, nil)
		return len(before) == 5
	})
	if err := s.Stop(); err != nil {
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
	s, err = system.Start(dir, system.Plan{})
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := system.QueryRecords(t, s.HTTP(0), tenant, nil); !slices.Equal(before, after) {
		t.Errorf("without its index the trail told\n%+v\nand with it\n%+v", after, before)
	}
	if v := verify(t, s.HTTP(0), tenant); !v.OK || v.Records != 5 {
		t.Errorf("after the restart: %+v", v)
	}
}

// TestTrailIsFull: while the trail has no room calls are refused with the reason, including
// those that only read, and none acts. Earlier answers are recorded.
func TestTrailIsFull(t *testing.T) {
	t.Parallel()
	s, err := system.Start(t.TempDir(), system.Plan{Config: func(c *config.Config) {
		c.Audit.MaxBytes, c.Worker.DrainTimeout = 24<<10, time.Second
	}})
	t.Cleanup(func() {
		if err := s.Stop(); err != nil && !strings.Contains(err.Error(), "not every call was finished in time") {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	d := s.HTTP(0)
	const tenant, most = "default", 200
	ask := func(call string) (int, system.Element) {
		t.Helper()
		r := d.Ask(t, tenant, "execute", nil, `{"wait_ms": 2000, "calls": [`+call+`]}`)
		if r.Status != 200 && r.Status != 503 {
			t.Fatalf("execute = %d %s", r.Status, r.Body)
		}
		return r.Status, system.Decode[system.Answer](t, r).Results[0]
	}
	done, held := 0, 0
	for tried := 0; ; tried++ {
		if tried == most {
			t.Fatalf("%d calls went onto a trail of 24 KiB", done)
		}
		status, e := ask(`{"tool": "debug.effect", "arguments": {"key": "k"}}`)
		if status == 503 {
			break
		}
		if e.Status == "success" {
			done++
		} else {
			held++ // it was accepted before the shortage was detected
		}
	}
	for range 3 {
		for _, call := range []string{
			`{"tool": "debug.effect", "arguments": {"key": "unseen"}}`,
			`{"tool": "write_file", "arguments": {"path": "unseen.txt", "content": "x"}}`,
			system.EchoCall("1"), `{"tool": "no_such_tool"}`,
		} {
			status, e := ask(call)
			if status != 503 {
				t.Errorf("on a full trail %s is answered %d", call, status)
			}
			system.WantError(t, e, "overloaded", "audit.max_bytes")
		}
	}
	lines := s.Ledger(t, tenant)
	if len(lines) < done || len(lines) > done+held ||
		slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "unseen") }) {
		t.Errorf("the ledger has %d lines, want the %d of the calls that succeeded, and at most %d more", len(lines), done, held)
	}
	if _, err := os.Stat(filepath.Join(s.Config.Data, "workspaces", tenant, "_", "unseen.txt")); err == nil {
		t.Error("a file was written that is not on record")
	}
	if v := verify(t, d, tenant); !v.OK {
		t.Errorf("a full trail: %+v", v)
	}
}
