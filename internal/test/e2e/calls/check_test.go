package calls

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestSystemCheck: a whole system has no errors; each fault that is caused is found, with
// advice.
func TestSystemCheck(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	c := operator(t, s, s.URLs[0])
	check := func() map[string][]client.Finding {
		t.Helper()
		report, err := c.Check(system.Context(t))
		if err != nil {
			t.Fatal(err)
		}
		parts := map[string][]client.Finding{}
		for _, f := range report.Findings {
			if f.Message == "" || (f.Level == "ok") != (f.Advice == "") {
				t.Errorf("finding %+v, want a message, and advice unless all is well", f)
			}
			parts[f.Part] = append(parts[f.Part], f)
		}
		return parts
	}
	for part, found := range check() {
		for _, f := range found {
			if part != "disk" && f.Level != "ok" { // this machine's disk may be nearly full
				t.Errorf("in a whole system: %+v", f)
			}
		}
	}
	ctx := queuetest.Context(t)
	js := s.Stream(t, streams.Calls)
	q, err := queue.Connect(queue.FromConfig(s.Config, "worker", zap.NewNop()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	system.Eventually(t, "the test is connected", q.Conn.Connected)
	jet := q.Conn.JetStream()
	// lose deletes what the processes of a young system make again within seconds.
	lose := func() {
		_ = js.DeleteConsumer(ctx, "default~b3")
		_ = jet.DeleteStream(ctx, streams.Seals)
	}
	cfg := s.StreamConfig(t, streams.Dead)
	cfg.MaxAge /= 2
	system.Eventually(t, "the altered stream is found", func() bool {
		if _, err := jet.UpdateStream(ctx, cfg); err != nil { // which a young system sets right again
			t.Fatal(err)
		}
		return slices.ContainsFunc(check()["streams"], func(f client.Finding) bool {
			return strings.Contains(f.Message, "HELVE_DEAD is not as the settings of this dispatcher: max_age")
		})
	})
	if err := s.Conn.Publish("helve.v1.default.dead.default", []byte("x")); err != nil {
		t.Fatal(err)
	}
	announce, stop := context.WithCancel(system.Context(t))
	defer stop()
	if _, err := fleet.Announce(announce, q, fleet.Worker{ID: "other", Workspace: "elsewhere", Version: "v0.0.1-old"},
		map[string]*fleet.Kind{"default": nil},
		func(string) queue.Load { return queue.Load{OpenCircuits: 3, RulesRefused: true} }, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.OrderPool(system.Context(t), "default", client.PauseWorkers); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]struct{ level, message string }{
		"streams":      {"error", "stream HELVE_SEALS is missing"},
		"consumers":    {"error", "default~b3"},
		"workers":      {"error", "do not share their workspaces"},
		"pools":        {"warning", "pool default has been paused"},
		"versions":     {"warning", "workers v0.0.1-old"},
		"circuits":     {"warning", "on other servers outside keep failing, 3 of them without a name"},
		"policy":       {"warning", "the old ones stay in force, on other"},
		"dead_letters": {"warning", "1 queued messages"},
	} {
		system.Eventually(t, part+" is found", func() bool {
			lose()
			for _, f := range check()[part] {
				if f.Level == want.level && strings.Contains(f.Message, want.message) {
					return true
				}
			}
			return false
		})
	}
	var out, errs bytes.Buffer
	doctor := []string{"doctor", "--server", s.URLs[0]}
	if code := cli.Run(system.Context(t), doctor, strings.NewReader(""), &out, &errs, hostDoctor()); code != 1 ||
		!strings.Contains(out.String(), "error    workers") ||
		!strings.Contains(out.String(), "warning  circuits") || !strings.Contains(out.String(), "warning  policy") ||
		!strings.Contains(out.String(), "→ put the workspaces") || !strings.Contains(errs.String(), "errors and") {
		t.Errorf("helve doctor = %d\n%s%s", code, out.String(), errs.String())
	}
	if _, err := operator(t, s, s.URLs[0], client.WithTenant("acme")).Check(system.Context(t)); !isType(err, client.Forbidden) {
		t.Errorf("check by another tenant: %v", err)
	}
}

// hostDoctor returns the command doctor of package cmd/helve, without what it does itself.
func hostDoctor() *cobra.Command {
	cmd := &cobra.Command{Use: "doctor", RunE: func(*cobra.Command, []string) error { return nil }}
	cmd.Flags().String("nats", "", "")
	return cmd
}
