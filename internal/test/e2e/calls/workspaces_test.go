package calls

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

const splitDefault = `helve_workspaces_split{pool="default"}`

// writes calls write_file often, and returns the workers that refused it and those that ran
// it.
func writes(t *testing.T, s *system.System) (refused, ran []string) {
	t.Helper()
	calls := slices.Repeat([]string{`{"tool": "write_file", "arguments": {"path": "f.txt", "content": "x"}}`}, 20)
	for _, e := range system.Together(t, s.HTTP(0), "acme", calls...) {
		switch {
		case e.Status == "success" && !slices.Contains(ran, e.Worker):
			ran = append(ran, e.Worker)
		case e.ErrorType == "not_configured" && !slices.Contains(refused, e.Worker):
			refused = append(refused, e.Worker)
			if !strings.Contains(e.Message, "shared volume") || strings.Contains(e.Message, s.Config.Data) {
				t.Errorf("the refusal reads %q, want the cure and no path of the host", e.Message)
			}
		case e.Status != "success" && e.ErrorType != "not_configured":
			t.Errorf("write_file = %v", e)
		}
	}
	return refused, ran
}

// TestWorkspacesNotShared: of two workers with a directory each, the older one keeps the
// files, and the other refuses only tools that use files.
func TestWorkspacesNotShared(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	_, ran := writes(t, s)
	if len(ran) != 1 || s.Metric(t, splitDefault) != 0 {
		t.Fatalf("one worker: ran on %q, split = %v", ran, s.Metric(t, splitDefault))
	}
	older, shared := ran[0], s.Config.Data
	s.Config.Data = t.TempDir()
	drain, err := s.AddWorker()
	if err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "both workers got calls that use files", func() bool {
		refused, ran := writes(t, s)
		if len(ran) > 1 || len(ran) == 1 && ran[0] != older || slices.Contains(refused, older) {
			t.Fatalf("refused by %q, ran on %q, want them on %s alone", refused, ran, older)
		}
		return len(refused) == 1 && len(ran) == 1
	})
	system.Eventually(t, "both workers ran a tool without files", func() bool {
		seen := map[string]bool{}
		for _, e := range system.Together(t, s.HTTP(0), "acme", slices.Repeat([]string{`{"tool": "get_current_time"}`}, 20)...) {
			if e.Status != "success" {
				t.Fatalf("get_current_time = %v", e)
			}
			seen[e.Worker] = true
		}
		return len(seen) == 2
	})
	system.Eventually(t, "the metric reports it", func() bool { return s.Metric(t, splitDefault) == 1 })
	if r := s.HTTP(0).Send(t, "GET", "/readyz", "", nil); r.Status != 200 ||
		!strings.Contains(string(r.Body), "not shared by the workers of default") {
		t.Errorf("readyz = %d %s, want it ready and the reason told", r.Status, r.Body)
	}
	const logged = "workers of a pool do not share workspaces"
	if n := strings.Count(s.Logs.String(), logged); n != 1 {
		t.Errorf("the dispatcher logged it %d times, want once", n)
	}

	// The worker restarts on the shared volume.
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	s.Config.Data = shared
	if _, err := s.AddWorker(); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "both workers run tools that use files", func() bool {
		refused, ran := writes(t, s)
		if len(refused) > 0 {
			t.Fatalf("refused by %q, though the volume is shared", refused)
		}
		return len(ran) == 2
	})
	system.Eventually(t, "the metric reports the cure", func() bool { return s.Metric(t, splitDefault) == 0 })
}

// TestWorkspacesApartAskNobody: where the call cannot run, no person is asked about it.
func TestWorkspacesApartAskNobody(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	d := s.HTTP(0)
	if e := system.Execute(t, d, "acme",
		system.AsUser(30000, `{"tool": "write_file", "arguments": {"path": "f.txt", "content": "x"}}`)).Results[0]; e.Status != "success" {
		t.Fatalf("write_file = %v", e)
	}
	s.Config.Data = t.TempDir()
	if _, err := s.AddWorker(); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "both workers got the call", func() bool {
		calls := slices.Repeat([]string{`{"tool": "delete_file", "arguments": {"path": "f.txt"}}`}, 20)
		asked, refused := 0, 0
		for _, e := range system.Execute(t, d, "acme", system.AsUser(30000, strings.Join(calls, ","))).Results {
			if e.ConsentID != "" {
				asked++
				continue
			}
			refused++
			system.WantError(t, e, "not_configured", "shared volume")
		}
		return asked > 0 && refused > 0
	})
}
