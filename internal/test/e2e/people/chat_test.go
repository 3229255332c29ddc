package people

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/modeltest"
)

// chatting runs `helve chat` against a model's server.
func chatting(t *testing.T, m *modeltest.Server, tenant, stdin string, args ...string) (code int, out, said string) {
	t.Helper()
	return chattingFrom(t, m, tenant, strings.NewReader(stdin), args...)
}

func chattingFrom(t *testing.T, m *modeltest.Server, tenant string, stdin io.Reader, args ...string) (code int, out, said string) {
	t.Helper()
	args = append([]string{
		"chat", "--server", shared.URLs[0], "--tenant", tenant, "--user", "u1", "--provider", "anthropic", "--model", "m", "--base-url", m.URL,
	}, args...)
	return system.Command(t, stdin, args...)
}

func TestChatCommand(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
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
	waiting := system.Consents(t, shared.HTTP(0), tenant, "pending")
	system.Grant(t, shared.HTTP(0), tenant, waiting[0].ConsentID)
	if code, out, said = chatting(t, m, tenant, "", "--state", file); code != 0 || out != "Done.\n" {
		t.Errorf("the same command after the decision = %d %q, said %q", code, out, said)
	}
	if code, out, said = chatting(t, m, tenant, "", "And then?", "--state", file, "--json"); code != 0 ||
		!strings.Contains(out, `"text":"Done."`) || !strings.Contains(m.Last(), "Do it") {
		t.Errorf("the conversation goes on: %d %q, said %q", code, out, said)
	}
	m = modeltest.Serve(t, "anthropic", modeltest.Calls(echo), modeltest.Says("I cannot."))
	code, _, said = chatting(t, m, tenant, "", "x", "--toolset", "code")
	if code != 0 || !strings.Contains(said, "debug.echo: tool_not_available: Tool 'debug.echo' is not in the tool set 'code'") {
		t.Errorf("a call outside the tool set = %d, said %q", code, said)
	}
	if asked := m.Last(); !strings.Contains(asked, `"search_tools"`) || strings.Contains(asked, `"read_file"`) {
		t.Errorf("the model was offered %.500s, want the set code", asked)
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

// TestChatAsksOnATerminal types the person's decision at the prompt.
func TestChatAsksOnATerminal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, typed, status, told string }{
		{"grant", "what?\nyes\n", "granted", "debug.guarded: success"},
		{"deny", "n\n", "denied", "debug.guarded: error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tenant := system.NewTenant()
			if r := shared.HTTP(0).Ask(t, tenant, "agents.put", map[string]string{"agent": "a1"}, `{"tools": ["debug.*"]}`); r.Status != 200 {
				t.Fatalf("agents.put = %+v", r)
			}
			m := modeltest.Serve(t, "anthropic", modeltest.Calls(modeltest.Call("debug_guarded", `{"key":"k"}`)), modeltest.Says("Done."))
			screen, keyboard, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer screen.Close()
			defer keyboard.Close()
			if _, err := screen.WriteString(tt.typed); err != nil {
				t.Fatal(err)
			}
			code, out, said := chattingFrom(t, m, tenant, keyboard, "Do it", "--agent", "a1")
			if code != 0 || out != "Done.\n" || !strings.Contains(said, `key: "k"`) && !strings.Contains(said, "key: k") ||
				!strings.Contains(said, tt.status) {
				t.Errorf("chat = %d %q, said %q; want the question, and %s", code, out, said, tt.status)
			}
			if all := system.Consents(t, shared.HTTP(0), tenant, tt.status); len(all) != 1 {
				t.Errorf("%d consents are %s, want 1", len(all), tt.status)
			}
		})
	}
}

// TestChatAsksQuestionsOnATerminal types answers to a question of ask_user.
func TestChatAsksQuestionsOnATerminal(t *testing.T) {
	t.Parallel()
	const form = `{"question":"Which account?","schema":{"type":"object","properties":{"account":{"type":"string","enum":["private","work"]},` +
		`"days":{"type":"integer","default":3},"urgent":{"type":"boolean"}},"required":["account"]}}`
	for _, tt := range []struct{ name, call, typed, status, told, answer string }{
		{"one line", `{"question":"Which account?"}`, "my own\n", "granted", "answer: ", `{\"answer\":\"my own\"}`},
		{"fields", form, "work\n7\nyes\n", "granted", "account (private|work, required): ", `{\"account\":\"work\",\"days\":7,\"urgent\":true}`},
		{"a wrong one first", form, "other\n\n\nWork\n\n\n", "granted", "must be one of: private, work", `{\"account\":\"work\",\"days\":3}`},
		{"refused", `{"question":"Which account?"}`, "\ny\n", "denied", "refuse to answer?", "does not want to answer"},
		{"not refused", form, "\nn\nwork\n\n\n", "granted", "refuse to answer?", `{\"account\":\"work\",\"days\":3}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tenant := system.NewTenant()
			m := modeltest.Serve(t, "anthropic", modeltest.Calls(modeltest.Call("ask_user", tt.call)), modeltest.Says("Done."))
			screen, keyboard, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer screen.Close()
			defer keyboard.Close()
			if _, err := screen.WriteString(tt.typed); err != nil {
				t.Fatal(err)
			}
			code, out, said := chattingFrom(t, m, tenant, keyboard, "Do it", "--agent", "")
			if code != 0 || out != "Done.\n" || !strings.Contains(said, "ask_user asks: Which account?") || !strings.Contains(said, tt.told) ||
				!strings.Contains(said, tt.status) {
				t.Errorf("chat = %d %q, said %q; want the question, %q and %s", code, out, said, tt.told, tt.status)
			}
			if !strings.Contains(m.Last(), tt.answer) {
				t.Errorf("the model was answered %s, want %s", m.Last(), tt.answer)
			}
		})
	}
}

// TestChatWithoutAServer: the command ends immediately, with its own exit code.
func TestChatWithoutAServer(t *testing.T) {
	t.Parallel()
	m := modeltest.Serve(t, "anthropic", modeltest.Says("never asked"))
	code, _, said := chatting(t, m, "t", "", "Hello", "--server", "http://127.0.0.1:1")
	if code != 3 || !strings.Contains(said, "cannot reach") {
		t.Errorf("chat = %d, said %q; want 3", code, said)
	}
}
