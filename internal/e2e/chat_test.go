package e2e

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/modeltest"
)

// chatting runs `helve chat` against a model's server.
func chatting(t *testing.T, m *modeltest.Server, tenant, stdin string, args ...string) (code int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"chat", "--server", shared.urls[0], "--tenant", tenant, "--user", "u1", "--provider", "anthropic", "--model", "m", "--base-url", m.URL}, args...)
	code = cli.Run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestChatCommand(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	echo := modeltest.Call("debug_echo", `{"value":1}`)
	m := modeltest.Serve(t, "anthropic", modeltest.Calls(echo, modeltest.Call("nope", `{}`)), modeltest.Says("It is 1."))
	code, out, said := chatting(t, m, tenant, "How much?\n")
	if code != 0 || out != "It is 1.\n" || !strings.Contains(said, "debug.echo: success") || !strings.Contains(said, "nope: tool_not_found") {
		t.Errorf("chat = %d %q, said %q", code, out, said)
	}
	if !strings.Contains(m.Last(), "How much?") {
		t.Errorf("the model was asked %s", m.Last())
	}

	m = modeltest.Serve(t, "anthropic", modeltest.Calls(modeltest.Call("debug_guarded", `{"key":"k"}`)), modeltest.Says("Done."))
	file := filepath.Join(t.TempDir(), "state.json")
	code, out, said = chatting(t, m, tenant, "", "Do it", "--no-wait", "--state", file)
	if code != 1 || out != "" || !strings.Contains(said, "helve consent show") || !strings.Contains(said, "pending") {
		t.Fatalf("chat = %d %q, said %q, want it pending", code, out, said)
	}
	if code, _, said = chatting(t, m, tenant, "", "And this", "--state", file); code != 2 || !strings.Contains(said, "without a PROMPT") {
		t.Errorf("a PROMPT while calls wait = %d, said %q", code, said)
	}
	waiting := consents(t, shared.http(0), tenant, "pending")
	grant(t, shared.http(0), tenant, waiting[0].ConsentID)
	if code, out, said = chatting(t, m, tenant, "", "--state", file); code != 0 || out != "Done.\n" {
		t.Errorf("the same command after the decision = %d %q, said %q", code, out, said)
	}
	if code, out, said = chatting(t, m, tenant, "", "And then?", "--state", file, "--json"); code != 0 || !strings.Contains(out, `"text":"Done."`) || !strings.Contains(m.Last(), "Do it") {
		t.Errorf("the conversation goes on: %d %q, said %q", code, out, said)
	}
	for _, args := range [][]string{{"x", "--rounds", "1"}, {"x", "--tokens", "1"}} {
		m = modeltest.Serve(t, "anthropic", modeltest.Calls(echo))
		if code, _, said = chatting(t, m, tenant, "", args...); code != 1 || !strings.Contains(said, "limit") {
			t.Errorf("%q = %d, said %q, want the limit named", args, code, said)
		}
	}
	if code, _, said = chatting(t, m, tenant, "", "x", "--provider", "grok"); code != 2 || !strings.Contains(said, "openai_responses") {
		t.Errorf("an unknown provider = %d, said %q", code, said)
	}
	if code, _, said = chatting(t, m, tenant, "  "); code != 2 || !strings.Contains(said, "PROMPT") {
		t.Errorf("no prompt = %d, said %q", code, said)
	}
}
