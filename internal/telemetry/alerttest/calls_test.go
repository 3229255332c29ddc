package alerttest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/telemetry"
)

func oneSlot(c *config.Config) {
	c.Worker.Slots = 1
	c.Quota.User, c.Quota.Tenant = 1<<20, 1<<20
}

func TestPoolWithoutWorkers(t *testing.T) {
	s := prepare(t, nil)
	s.serve("127.0.0.1:0")
	s.run()
	drain := s.work()
	start(t, s.url).proves("HelvePoolWithoutWorkers", drain, func() { s.work() })
}

// occupied starts a system whose one slot is taken until the returned function is called.
func occupied(t *testing.T, change func(*config.Config)) (s *system, release func()) {
	s = launch(t, func(c *config.Config) { oneSlot(c); change(c) })
	hold := s.calls(1, "debug.sleep", `{"ms": 600000}`)
	return s, func() { s.cancel(hold...) }
}

func TestBacklogGrowing(t *testing.T) {
	s, release := occupied(t, func(*config.Config) {})
	more := func() { s.calls(20, "debug.sleep", `{"ms": 1}`) }
	start(t, s.url).proves("HelveBacklogGrowing", more, release, more)
}

func TestOldestCallTooOld(t *testing.T) {
	s, release := occupied(t, func(*config.Config) {})
	start(t, s.url).proves("HelveOldestCallTooOld", func() { s.calls(3, "debug.sleep", `{"ms": 1}`) }, release)
}

func TestOverloaded(t *testing.T) {
	s, release := occupied(t, func(c *config.Config) { c.Dispatcher.MaxBacklog = 2 })
	more := func() { s.calls(5, "debug.sleep", `{"ms": 1}`) }
	start(t, s.url).proves("HelveOverloaded", more, release, more)
}

func TestToolErrors(t *testing.T) {
	s := launch(t, nil)
	more := func() { s.calls(5, "debug.fail", `{"how": "error", "message": "m"}`) }
	start(t, s.url).proves("HelveToolErrors", more, func() {}, more)
}

func TestStuckCalls(t *testing.T) {
	s := launch(t, nil)
	start(t, s.url).proves("HelveStuckCalls", func() {
		s.post("/v1/execute", `{"calls": [{"tool": "debug.sleep", "timeout_ms": 1000, "arguments": {"ms": 12000, "deaf": true}}]}`)
	}, func() {})
}

func TestConsentsExpiring(t *testing.T) {
	s := launch(t, func(c *config.Config) { c.Consent.TTL, c.Consent.HighTTL = 12*time.Second, 12*time.Second })
	start(t, s.url).proves("HelveConsentsExpiring", func() { s.calls(1, "debug.guarded", `{"key": "k"}`) }, func() {})
}

func TestPolicyReloadFailed(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.cedar")
	write := func(text string) {
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	s := launch(t, func(c *config.Config) { c.Policy.Rules = []string{rules} })
	start(t, s.url).proves("HelvePolicyReloadFailed", func() { write("this is no rule") }, func() { write("") })
}

// TestProgramsIdle: turns of programs that do not go on are counted until they stop. No process
// makes such turns unless it has a fault, so the test counts them itself.
func TestProgramsIdle(t *testing.T) {
	s := launch(t, nil)
	p := start(t, s.url)
	p.step()
	p.until("HelveProgramsIdle", true, func() { s.kit.Metrics.Add(telemetry.ProgramTurns, 3, "idle") })
	p.until("HelveProgramsIdle", false)
}
