package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

const examples = "../../config/policy"

// policyRun runs `helve policy` and returns its exit code and what it printed.
func policyRun(t *testing.T, env []string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Run(t.Context(), append([]string{"policy"}, args...), strings.NewReader(""), &stdout, &stderr, policyCommand(env))
	return code, stdout.String(), stderr.String()
}

func writeRules(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPolicyCheck(t *testing.T) {
	if code, out, errs := policyRun(t, nil, "check", examples); code != 0 || out != "ok: 8 rules in 4 files\n" {
		t.Errorf("check of the examples = %d, %q, %q, want ok", code, out, errs)
	}
	bad, worse := writeRules(t, "10.cedar", "\npermit(principal, action, resource);"), writeRules(t, "20.cedar", "forbid(principal)")
	code, out, errs := policyRun(t, nil, "check", bad, worse)
	if code != 1 || out != "" || !strings.Contains(errs, bad+":2:1: a permit must name") ||
		!strings.Contains(errs, worse+":1:18: syntax error") {
		t.Errorf("check of bad files = %d, %q, %q, want 1 and both places", code, out, errs)
	}
	if code, _, _ := policyRun(t, nil, "check"); code != 2 {
		t.Errorf("check of nothing = %d, want 2", code)
	}
}

func TestPolicyExplain(t *testing.T) {
	post := `{"url": "https://other.example/x", "method": "POST"}`
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{
			[]string{"http_request", post, "--tenant", "acme", "--rules", examples, "--profile", "auto", "--at", "2026-11-18T10:30:00Z"},
			[]string{
				"ask", "not on the list of our own", "foreign-posts " + examples + "/30-requests.cedar:", "run by table:auto", "can change something",
				"has 10m0s", "forbid auto_approve",
			},
		},
		{
			[]string{
				"http_request", `{"url": "https://api.acme.example/x", "method": "POST"}`, "--tenant", "acme", "--rules", examples, "--at",
				"2026-11-18T10:30:00Z",
			},
			[]string{"run", "own-services", "ask by table:medium-mutates", "hosts api.acme.example, *.intra.acme.example"},
		},
		{
			[]string{"http_request", post, "--agent", "scribe", "--tenant", "acme", "--rules", examples},
			[]string{"refuse", "may not reach the network", "scribe-stays-offline"},
		},
		{
			[]string{"http_request", `{"url": "https://other.example/x"}`},
			[]string{"run", "table:medium-reads", "changes nothing"},
		},
		{
			[]string{"debug.effect", `{"key": "k"}`, "--profile", "strict"},
			[]string{"ask", "table:strict-mutates", "it can change something"},
		},
		{
			[]string{
				"debug.echo", `{"value": 1}`, "--rules",
				writeRules(t, "x.cedar", `@id("odd") forbid(principal, action, resource) when { context.arguments.value like "x" };`),
			},
			[]string{"refuse", "could not be evaluated", "fails", "expected string"},
		},
	} {
		code, out, errs := policyRun(t, nil, append([]string{"explain"}, tt.args...)...)
		if code != 0 || errs != "" {
			t.Errorf("explain %q = %d, %q", tt.args, code, errs)
		}
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("explain %q says\n%swant %q", tt.args, out, want)
			}
		}
	}
}

func TestPolicyExplainJSON(t *testing.T) {
	code, out, errs := policyRun(t, nil, "explain", "http_request", `{"url": "https://a.example", "method": "PUT"}`, "--json", "--tenant",
		"guest", "--rules", examples)
	var got explained
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("explain --json = %d, %q, %q: %v", code, out, errs, err)
	}
	if got.Outcome != "ask" || got.Table.Rule != "table:medium-mutates" || !got.Mutates || got.TTLSeconds != 600 || len(got.Narrow) != 1 ||
		len(got.Rules) != 1 || got.Rules[0].Rule != "guest-hosts" {
		t.Errorf("explain --json = %+v, want an ask of the table, narrowed by guest-hosts", got)
	}
}

// TestPolicyExplainConfig: without flags the rules and profiles are those of the
// configuration.
func TestPolicyExplainConfig(t *testing.T) {
	rules := writeRules(t, "own.cedar", `@id("own") forbid(principal, action, resource == Tool::"debug.echo");`)
	file := writeRules(t, "helve.yaml", "profile: strict\npolicy:\n  tenants: [acme=auto]\n  rules: ["+rules+"]\n")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"debug.echo", `{"value": 1}`}, "own"},
		{[]string{"debug.effect", `{"key": "k"}`}, "table:strict-mutates"},
		{[]string{"debug.effect", `{"key": "k"}`, "--tenant", "acme"}, "table:auto"},
		{[]string{"debug.effect", `{"key": "k"}`, "--tenant", "acme", "--profile", "standard"}, "table:low"},
	} {
		for _, way := range [][]string{{"--config", file}, nil} {
			var env []string
			if way == nil {
				env = []string{"HELVE_CONFIG=" + file}
			}
			_, out, errs := policyRun(t, env, append(append([]string{"explain"}, tt.args...), way...)...)
			if !strings.Contains(strings.Join(strings.Fields(out), " "), "rule "+tt.want+" ") {
				t.Errorf("explain %q %q says %q, %q, want %s", tt.args, way, out, errs, tt.want)
			}
		}
	}
}

func TestPolicyExplainUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "arg"},
		{[]string{"no_such_tool"}, 2, "no_such_tool"},
		{[]string{"debug.echo", "{"}, 1, "arguments"},
		{[]string{"http_request", "{}"}, 1, "url"},
		{[]string{"debug.echo", `{"value": 1}`, "--origin", "phone"}, 2, "--origin"},
		{[]string{"debug.echo", `{"value": 1}`, "--at", "noon"}, 2, "--at"},
		{[]string{"debug.echo", `{"value": 1}`, "--profile", "lax"}, 2, "lax"},
		{[]string{"debug.echo", `{"value": 1}`, "--rules", "no-such-file"}, 1, "no-such-file"},
		{[]string{"debug.echo", `{"value": 1}`, "--config", "no-such-file"}, 2, "no-such-file"},
	} {
		if code, _, errs := policyRun(t, nil, append([]string{"explain"}, tt.args...)...); code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("explain %q = %d, %q, want %d and %q", tt.args, code, errs, tt.code, tt.want)
		}
	}
}
