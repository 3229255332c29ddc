package bench

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/consent/store"
)

// figures returns a sheet's by name.
func (s *Sheet) figures() map[string]float64 {
	all := map[string]float64{}
	for _, f := range s.Figures {
		all[f.Name] = f.Value
	}
	return all
}

// above fails the test for each figure that is not there or not above 0.
func (s *Sheet) above(t *testing.T, names ...string) {
	t.Helper()
	all := s.figures()
	for _, name := range names {
		if all[name] <= 0 {
			t.Errorf("%s = %v of %q, want it above 0", name, all[name], slices.Sorted(maps.Keys(all)))
		}
	}
}

func TestGateScenario(t *testing.T) {
	opts, gone := quick(t)
	opts.Time = 5 * time.Millisecond
	s, err := Scenario(bounded(t), "gate", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(2)
	s.above(t, "engine_alone_p50_us", "gate_table_p50_us", "gate_100_rules_p99_us", "decide_table_p50_us", "decide_100_rules_p50_us",
		"decide_100_evaluated_p50_us", "token_verify_p50_us", "grant_find_p50_us", "token_call_p99_us")
	all := s.figures()
	if got, want := all["gate_table_adds_p50_us"], all["gate_table_p50_us"]-all["engine_alone_p50_us"]; got != want {
		t.Errorf("the gate adds %v, want the difference %v", got, want)
	}
}

// TestProbesTimeWhatTheySay: the timed operations go through the gate, and use up a token.
func TestProbesTimeWhatTheySay(t *testing.T) {
	parts, err := newGateParts(t.Context(), queuetest.Server(t).URL(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(parts.queue.Close)
	probes, err := parts.probes()
	if err != nil {
		t.Fatal(err)
	}
	if len(probes) != probeCount {
		t.Errorf("%d probes, want %d", len(probes), probeCount)
	}
	for _, about := range []int{10, 100} {
		rules, err := parts.policy(about)
		if err != nil || rules.InForce().Rules != 100 {
			t.Errorf("%v rules in force, %v, want 100", rules.InForce(), err)
		}
	}
	spent := probes[slices.IndexFunc(probes, func(p *probe) bool { return p.name == "token_call" })]
	if err := spent.ready(); err != nil {
		t.Fatal(err)
	}
	if err := spent.call(t.Context()); err != nil {
		t.Fatalf("a call with a token: %v", err)
	}
	if first, err := store.On(parts.queue).Spend(t.Context(), benchTenant, "t1", "another"); first || err != nil {
		t.Errorf("after the call its token is good for another: %v, %v", first, err)
	}
	if err := spent.ready(); err != nil {
		t.Fatal(err)
	}
	parts.keys.Remove(parts.signer.KeyID())
	if err := spent.call(t.Context()); err == nil || !strings.Contains(err.Error(), "key") {
		t.Errorf("a token of an unknown key: %v, want it refused", err)
	}
}

func TestProbingSaysWhatFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	_, err := probing{Time: time.Millisecond, Rounds: 1}.run(t.Context(), queuetest.Server(t).URL(), dir)
	if err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("probing with rules in no directory: %v, want an error that names it", err)
	}
}
