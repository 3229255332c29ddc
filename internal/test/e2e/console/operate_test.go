package console

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestPolicy: the page of the rules shows those of the workers, and how they decide.
func TestRulesInForce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "mail.cedar")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`@id("no-posts") @reason("Nothing is posted.") forbid(principal, action, resource == Tool::"http_request") when { context.arguments.method == "POST" };`)
	p := newPeople(t, func(c *config.Config) { c.Policy.Rules = []string{dir} })
	b := p.browser(t, "eve")
	r := b.send(0, http.MethodGet, "/v1/policy", "")
	in := system.Decode[protocol.PolicyInForce](t, r)
	if r.Status != 200 || in.Pool != "default" || in.Worker == "" || in.Profile != "standard" || len(in.SHA256) != 64 ||
		!slices.Equal(in.Files, []string{"mail.cedar"}) || len(in.Rules) != 1 ||
		in.Rules[0].Rule != "no-posts" || in.Rules[0].At != "mail.cedar:1:1" || in.Rules[0].Effect != "forbid" ||
		in.Rules[0].Reason != "Nothing is posted." || !strings.Contains(in.Rules[0].Text, `context.arguments.method == "POST"`) {
		t.Errorf("GET /v1/policy = %d %s", r.Status, r.Body)
	}
	explain := func(body string) (protocol.PolicyExplanation, system.Reply) {
		t.Helper()
		r := b.send(1, http.MethodPost, "/v1/policy/explain", body)
		if r.Status != 200 {
			return protocol.PolicyExplanation{}, r
		}
		return system.Decode[protocol.PolicyExplanation](t, r), r
	}
	for _, tt := range []struct {
		body, outcome, rule, at string
		mutates                 bool
	}{
		{
			`{"tool": "http_request", "arguments": {"url": "https://a.example", "method": "POST"}, "user": "ann"}`, "refuse", "no-posts",
			"mail.cedar:1:1", true,
		},
		{`{"tool": "http_request", "arguments": {"url": "https://a.example"}}`, "run", "table:medium-reads", "", false},
		{
			`{"tool": "http_request", "arguments": {"url": "https://a.example", "method": "PUT"}, "agent": "a1", "origin": "mcp", "at": "2026-11-18T10:30:00Z"}`,
			"ask", "table:medium-mutates", "", true,
		},
		{`{"tool": "read_file", "arguments": {"path": "a.txt"}}`, "run", "table:low", "", false},
	} {
		e, r := explain(tt.body)
		if e.Outcome != tt.outcome || e.Rule != tt.rule || e.At != tt.at || e.Mutates != tt.mutates || e.Reason == "" || e.Table.Rule == "" ||
			e.Outcome == "ask" && e.TTLSeconds <= 0 {
			t.Errorf("explain %s = %d %s", tt.body, r.Status, r.Body)
		}
	}
	// Without arguments the tool itself is judged, also a tool that needs arguments.
	for _, tt := range []struct {
		tool, outcome, rule string
		depends             bool
	}{
		{"delete_file", "ask", "table:medium-mutates", false}, {"read_file", "run", "table:low", false}, {"write_file", "run", "table:low", false},
		{"http_request", "refuse", "no-posts", true},
	} {
		if e, r := explain(`{"tool": "` + tt.tool + `"}`); e.Outcome != tt.outcome || e.Rule != tt.rule || e.Depends != tt.depends {
			t.Errorf("explain of %s without arguments = %d %s", tt.tool, r.Status, r.Body)
		}
	}
	// A person learns what is decided about their own calls, and not how rules are written.
	ann := p.browser(t, "ann")
	e := system.Decode[protocol.PolicyExplanation](t, ann.send(1, http.MethodPost, "/v1/policy/explain", `{"tool": "http_request"}`))
	if e.Outcome != "refuse" || e.Reason == "" || e.At != "" || len(e.Rules) != 0 {
		t.Errorf("explain for ann = %+v, want the decision without places and rules", e)
	}
	system.WantProblem(t, "another person", ann.send(1, http.MethodPost, "/v1/policy/explain", `{"tool": "read_file", "user": "eve"}`), 403, "forbidden")
	for body, status := range map[string]int{
		`{}`: 400, `{"tool": "nope"}`: 404, `{"tool": "read_file", "arguments": {}}`: 400, `{"tool": "read_file", "origin": "x"}`: 400,
		`{"tool": "a b"}`: 400, `{"tool": "read_file", "user": "a b"}`: 400, `[`: 400,
	} {
		if _, r := explain(body); r.Status != status {
			t.Errorf("explain %s = %d %s, want %d", body, r.Status, r.Body, status)
		}
	}
	write(`@id("all-quiet") forbid(principal, action, resource == Tool::"send_email");`)
	system.Eventually(t, "the changed rules are shown", func() bool {
		now := system.Decode[protocol.PolicyInForce](t, b.send(1, http.MethodGet, "/v1/policy?pool=default", ""))
		return now.SHA256 != in.SHA256 && len(now.Rules) == 1 && now.Rules[0].Rule == "all-quiet"
	})
	system.WantProblem(t, "another pool", b.send(0, http.MethodGet, "/v1/policy?pool=nope", ""), 404, "not_found")
}

// TestStatistics: the calls of a tenant are counted by tool, and those of all in steps.
func TestStatistics(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	for range 3 {
		system.One(t, d, tenant, system.EchoCall("1"))
	}
	system.One(t, d, tenant, `{"tool": "debug.fail", "arguments": {"how": "error", "kind": "network_error"}}`)
	system.One(t, d, tenant, `{"tool": "debug.sleep", "arguments": {"ms": 20}}`)
	stats := func(params map[string]string) protocol.ToolStats {
		t.Helper()
		return system.Decode[protocol.ToolStats](t, d.Ask(t, tenant, "tools.stats", params, ""))
	}
	all := stats(nil)
	if !all.Complete || all.Records != 5 || len(all.Tools) != 3 || all.Tools[0].Tool != "debug.echo" || all.Tools[0].Calls != 3 ||
		all.Tools[0].Errors != 0 || all.Oldest == nil || all.Tools[0].Last.IsZero() {
		t.Errorf("tools.stats = %+v", all)
	}
	if got := stats(map[string]string{"tool": "debug.fail"}); len(got.Tools) != 1 || got.Tools[0].Errors != 1 ||
		got.Tools[0].ErrorTypes["network_error"] != 1 {
		t.Errorf("tools.stats of a tool that failed = %+v", got)
	}
	if got := stats(map[string]string{"tool": "debug.sleep"}); len(got.Tools) != 1 || got.Tools[0].P50 < 20 ||
		got.Tools[0].P99 < got.Tools[0].P50 {
		t.Errorf("tools.stats of a slow tool = %+v", got)
	}
	if got := stats(map[string]string{"from": "1h", "to": "30m"}); got.Records != 0 || len(got.Tools) != 0 || !got.Complete {
		t.Errorf("tools.stats of before = %+v", got)
	}
	for _, params := range []map[string]string{{"from": "1000h"}, {"tool": "a b"}, {"from": "x"}} {
		if r := d.Ask(t, tenant, "tools.stats", params, ""); r.Status != 400 {
			t.Errorf("tools.stats with %v = %d %s", params, r.Status, r.Body)
		}
	}
	// A call is counted within seconds, by each dispatcher.
	for dispatcher := range shared.URLs {
		system.Eventually(t, "the calls are in the history", func() bool {
			system.One(t, d, tenant, system.EchoCall("1"))
			m := system.Decode[protocol.MetricsHistory](t,
				shared.HTTP(dispatcher).Ask(t, tenant, "metrics.history", map[string]string{"minutes": "60"}, ""))
			i := slices.IndexFunc(m.Pools, func(s protocol.MetricsSeries) bool { return s.Name == "default" })
			if i < 0 {
				return false
			}
			s := m.Pools[i]
			at := slices.IndexFunc(s.Success, func(rate float64) bool { return rate > 0 })
			return at >= 0 && s.P50[at] != nil && *s.P99[at] >= *s.P50[at] && s.Slots[at] > 0 && s.Backlog[at] != nil &&
				m.Total.Success[at] >= s.Success[at] && len(m.Times) == len(s.Success)
		})
	}
}
