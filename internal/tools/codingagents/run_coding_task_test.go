package codingagents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

const showArgs = `for a in "$@"; do printf '<%s>' "$a"; done; echo; [ -t 0 ] && [ -t 1 ] && echo on a terminal; pwd | sed 's,.*/,,'`

const claude = `echo '{"type":"system","subtype":"init","cwd":"/x"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"Edit","input":{}}]}}'
echo '{"type":"user","message":{"content":"noise"}}'
echo "not JSON $ANTHROPIC_API_KEY"
case "$prompt" in
budget) echo '{"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":0.51}'; exit 1;;
turns) echo '{"type":"result","subtype":"error_max_turns","total_cost_usd":0.2}'; exit 0;;
*) echo '{"type":"result","subtype":"success","result":"All done.","total_cost_usd":0.0425,"num_turns":3}';;
esac`

func TestProviders(t *testing.T) {
	w := newWorld(t, keys+`
- tenant: acme
  service: coding_agents
  label: mine
  data: {program: mine, args: "run --model={model} --turns {max_turns} --cost {max_budget_usd} -- {prompt}", title: "My agent", api_key: own-secret-4, api_key_env: MINE_KEY}
- tenant: acme
  service: coding_agents
  label: bare
  data: {program: mine}
- tenant: acme
  service: coding_agents
  label: list
  data: {program: mine, args: '["a b", "{prompt}!"]'}
`)
	w.file("sub/dir/x.txt", "")
	for _, name := range []string{"codex", "gemini", "mine"} {
		w.agent(name, showArgs)
	}
	w.agent("claude", showArgs+"\n"+claude)
	wrote := func(want string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			r := output(t, res)
			if r.Output != want || r.State != completed || r.ExitCode != 0 || r.ResultID == nil || r.SessionID != "call-7" || r.Error != nil ||
				res.Truncated {
				t.Errorf("result %s, want output %q", res.Value, want)
			}
		}
	}
	w.play(
		"run_coding_task",
		tooltest.Case{
			Name: "claude",
			Args: `{"provider":"claude-code","prompt":"--help; $(id)","max_budget_usd":0.5,"max_turns":3,"model":"opus","cwd":"sub/dir"}`,
			Check: func(t *testing.T, res tool.Result) {
				wrote("<-p><--output-format><stream-json><--verbose><--permission-mode><acceptEdits><--setting-sources=user><--strict-mcp-config>"+
					"<--max-turns=3><--max-budget-usd=0.5><--model=opus><--><--help; $(id)>\non a terminal\ndir\nI look.\n[Edit]\nnot JSON [redacted]\n"+
					"All done.\n")(t, res)
				if r := output(t, res); *r.CostUSD != 0.0425 || *r.Model != "opus" || r.Provider != "claude-code" {
					t.Errorf("result %s", res.Value)
				}
			},
		},
		tooltest.Case{
			Name: "codex", Args: `{"provider":"codex","prompt":"do it"}`,
			Check: wrote("<exec><--skip-git-repo-check><--sandbox><workspace-write><--color><never><--><do it>\non a terminal\nu1\n"),
		},
		tooltest.Case{
			Name: "gemini", Args: `{"provider":"gemini-cli","prompt":"-y","model":"flash"}`,
			Check: wrote("<--approval-mode=auto_edit><--model=flash><--prompt=-y>\non a terminal\nu1\n"),
		},
		tooltest.Case{
			Name: "custom", Args: `{"provider":"custom:mine","prompt":"do {model}","max_turns":5.5,"model":"m"}`,
			Check: wrote("<run><--model=m><--turns><5><--cost><1><--><do {model}>\non a terminal\nu1\n"),
		},
		tooltest.Case{
			Name: "custom without a model", Args: `{"provider":"custom:mine","prompt":"x"}`,
			Check: wrote("<run><--turns><10><--cost><1><--><x>\non a terminal\nu1\n"),
		},
		tooltest.Case{
			Name: "custom without words", Args: `{"provider":"custom:bare","prompt":"x"}`, Check: wrote("<--><x>\non a terminal\nu1\n"),
		},
		tooltest.Case{
			Name: "custom with a list", Args: `{"provider":"custom:list","prompt":"x y"}`, Check: wrote("<a b><x y!>\non a terminal\nu1\n"),
		},
		tooltest.Case{Name: "its budget", Args: `{"provider":"claude-code","prompt":"budget","max_budget_usd":0.5}`,
			Check: func(t *testing.T, res tool.Result) {
				if r := output(t, res); r.State != budgetExceeded || *r.CostUSD != 0.51 || r.ExitCode != 1 ||
					!strings.Contains(*r.Error, "0.5 US dollars") {
					t.Errorf("result %s", res.Value)
				}
			}},
		tooltest.Case{Name: "its turns", Args: `{"provider":"claude-code","prompt":"turns"}`, Check: func(t *testing.T, res tool.Result) {
			if r := output(t, res); r.State != failed || !strings.Contains(*r.Error, "error_max_turns") {
				t.Errorf("result %s", res.Value)
			}
		}},
	)
}

func TestRefusals(t *testing.T) {
	w := newWorld(t, `
- tenant: acme
  service: coding-codex
  active: false
  data: {api_key: sk-codex-secret-2}
- tenant: acme
  service: coding_agents
  label: broken
  data: {program: ../../bin/sh}
- tenant: acme
  service: coding_agents
  label: path
  data: {program: mine, api_key: x, api_key_env: LD_PRELOAD}
- tenant: acme
  service: coding_agents
  label: unreadable
  data: {program: mine, args: "[1,"}
- tenant: acme
  service: coding_agents
  label: ok
  data: {program: mine}
- tenant: acme
  service: coding_agents
  label: absent
  data: {program: nowhere}
- tenant: acme
  service: coding_agents
  label: elf
  data: {program: elf}
`)
	w.agent("codex", "")
	w.agent("mine", "")
	w.agent("elf", "")
	w.file("notes.txt", "x")
	long := strings.Repeat("a", maxPrompt+1)
	refuses := func(name, args string, kind tool.Kind, message string) tooltest.Case {
		return tooltest.Case{Name: name, Args: args, Fails: kind, Message: message}
	}
	w.play(
		"run_coding_task",
		refuses("no key", `{"provider":"codex","prompt":"x"}`, tool.NotConfigured, "coding-codex"),
		refuses("nothing at all", `{"provider":"claude-code","prompt":"x"}`, tool.NotConfigured, "coding-claude-code"),
		refuses("not installed", `{"provider":"custom:absent","prompt":"x"}`, tool.NotConfigured, "installs its program 'nowhere'"),
		refuses("unknown", `{"provider":"copilot","prompt":"x"}`, tool.ValidationError, "custom:NAME"),
		refuses("unknown of one's own", `{"provider":"custom:none","prompt":"x"}`, tool.NotConfigured, "coding_agents"),
		refuses("program", `{"provider":"custom:broken","prompt":"x"}`, tool.NotConfigured, "program"),
		refuses("variable", `{"provider":"custom:path","prompt":"x"}`, tool.NotConfigured, "api_key_env"),
		refuses("words", `{"provider":"custom:unreadable","prompt":"x"}`, tool.NotConfigured, "args"),
		refuses("no provider", `{"prompt":"x"}`, tool.ValidationError, "provider"),
		refuses("no prompt", `{"provider":"codex"}`, tool.ValidationError, "prompt"),
		refuses("empty prompt", `{"provider":"custom:ok","prompt":" \n"}`, tool.ValidationError, "empty"),
		refuses("long prompt", `{"provider":"custom:ok","prompt":"`+long+`"}`, tool.ValidationError, "at most"),
		refuses("zero character", `{"provider":"custom:ok","prompt":"a\u0000"}`, tool.ValidationError, "zero"),
		refuses("model", `{"provider":"custom:ok","prompt":"x","model":"--yolo"}`, tool.ValidationError, "model"),
		refuses("no time", `{"provider":"custom:ok","prompt":"x","timeout_seconds":0}`, tool.ValidationError, "above 0"),
		refuses("no budget", `{"provider":"custom:ok","prompt":"x","max_budget_usd":-1}`, tool.ValidationError, "above 0"),
		refuses("no turns", `{"provider":"custom:ok","prompt":"x","max_turns":0}`, tool.ValidationError, "above 0"),
		refuses("half a turn", `{"provider":"custom:ok","prompt":"x","max_turns":0.5}`, tool.ValidationError, "above 0"),
		refuses("absolute", `{"provider":"custom:ok","prompt":"x","cwd":"/etc"}`, tool.PathNotAllowed, "relative"),
		refuses("above", `{"provider":"custom:ok","prompt":"x","cwd":"a/../../u2"}`, tool.PathNotAllowed, ""),
		refuses("drive", `{"provider":"custom:ok","prompt":"x","cwd":"C:\\x"}`, tool.PathNotAllowed, ""),
		refuses("missing directory", `{"provider":"custom:ok","prompt":"x","cwd":"nowhere"}`, tool.FileNotFound, ""),
		refuses("a file", `{"provider":"custom:ok","prompt":"x","cwd":"notes.txt"}`, tool.ValidationError, "directory"),
	)
	w.wantSlots(0)
	if l := w.list(`{}`); l.Total != 0 || l.Results == nil {
		t.Errorf("refusals were kept: %+v", l)
	}
}

func TestSlots(t *testing.T) {
	w := newWorld(t, keys)
	w.agent("codex", `echo up; exec sleep 600`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sessions []<-chan error
	for n := range atOnce {
		sessions = append(sessions, w.begin(ctx, fmt.Sprintf(`{"provider":"codex","prompt":"task %d"}`, n)))
	}
	const fourth = `{"provider":"codex","prompt":"one more","timeout_seconds":0.2}`
	w.play("run_coding_task", tooltest.Case{Name: "one too many", Args: fourth, Fails: tool.RateLimited, Message: "3 coding sessions"})
	// Another person has slots of their own.
	other := *w
	other.call.Store, other.call.User = w.kept.For("acme", "u2"), "u2"
	other.play("run_coding_task", tooltest.Case{Name: "of somebody else", Args: fourth, Fails: tool.Timeout, Message: "get_task_result"})

	cancel()
	for _, s := range sessions {
		if e := tool.AsError(queuetest.Receive(t, s, "end")); e == nil || e.Kind != tool.Cancelled {
			t.Errorf("a cancelled session ended with %v", e)
		}
	}
	w.play("run_coding_task", tooltest.Case{Name: "a slot is free again", Args: fourth, Fails: tool.Timeout, Message: "200ms"})
	l := w.list(`{}`)
	if l.Total != 4 || l.Count != 4 || l.Results[0].State != timedOut || l.Results[1].State != cancelled || l.Results[3].State != cancelled {
		t.Errorf("kept: %+v", l)
	}
	k := w.get(l.Results[1].ID)
	if k.Success || k.State != cancelled || k.Output != "up\n" || k.ExitCode != -1 || k.Error == nil || k.DurationMS <= 0 {
		t.Errorf("the cancelled session is kept as %+v", k)
	}
}

// Each hostile agent ends, and its output is stored.
func TestHostileAgents(t *testing.T) {
	t.Setenv("HELVE_TEST_SECRET", "s3cr3t")
	w := newWorld(t, keys)
	w.agent("codex", `case "$prompt" in
fail) echo broken; exit 3;;
ansi) printf '\033[31mred\033[0m \033]0;title\007a\033[2Kb\r\nx\rprogress\r\n\033(B\302\233tab\tend \377\376 \033[999999';;
flood) exec yes 'all work and no play makes a dull boy';;
money) echo '{"total_cost_usd": 0.4}'; echo '{"total_cost_usd": 1.5}'; exec sleep 600;;
said) echo 'Total cost: $2.75';;
kill) echo up; kill -9 $$;;
fork) for i in 1 2 3 4 5 6 7 8 9 10; do sleep 600 & done; echo forked;;
env) env | sort; printf %s "$CODEX_API_KEY" | sed 's/./&-/g';;
long) i=0; while [ $i -lt 3000 ]; do echo "line $i aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; i=$((i+1)); done;;
esac`)
	check := func(name string, state string, look func(t *testing.T, r runResult, k kept, res tool.Result)) {
		t.Helper()
		w.play("run_coding_task", tooltest.Case{
			Name: name, Args: `{"provider":"codex","prompt":"` + name + `","timeout_seconds":60}`,
			Check: func(t *testing.T, res tool.Result) {
				r := output(t, res)
				if r.State != state || r.ResultID == nil || (state == completed) != (r.Error == nil) {
					t.Fatalf("result %.2000s, want state %s", res.Value, state)
				}
				k := w.get(*r.ResultID)
				if k.State != state || k.Success != (state == completed) || !strings.HasSuffix(k.Output, r.Output) || k.Prompt != name {
					t.Errorf("kept %.300v, result %.300s", k, res.Value)
				}
				look(t, r, k, res)
			},
		})
	}
	is := func(text string, code int) func(*testing.T, runResult, kept, tool.Result) {
		return func(t *testing.T, r runResult, _ kept, _ tool.Result) {
			if r.Output != text || r.ExitCode != code {
				t.Errorf("output %q and exit code %d, want %q and %d", r.Output, r.ExitCode, text, code)
			}
		}
	}
	check("fail", failed, is("broken\n", 3))
	check("ansi", completed, is("red ab\nx\nprogress\ntab\tend \uFFFD\uFFFD ", 0))
	check("kill", failed, is("up\n", -1))
	check("fork", completed, is("forked\n", 0))
	check("money", budgetExceeded, func(t *testing.T, r runResult, _ kept, _ tool.Result) {
		if *r.CostUSD != 1.5 || r.ExitCode != -1 || !strings.Contains(*r.Error, "more than 1 US dollars") {
			t.Errorf("%+v", r)
		}
	})
	check("said", completed, func(t *testing.T, r runResult, _ kept, _ tool.Result) { // this text must not end it
		if r.CostUSD == nil || *r.CostUSD != 2.75 {
			t.Errorf("cost %v", r.CostUSD)
		}
	})
	check("env", completed, func(t *testing.T, r runResult, _ kept, _ tool.Result) {
		if strings.Contains(r.Output, "s3cr3t") || strings.Contains(r.Output, "sk-") || strings.Contains(r.Output, "secret-3") {
			t.Errorf("the agent or its transcript has a secret: %s", r.Output)
		}
		if !strings.Contains(r.Output, "CODEX_API_KEY=[redacted]\n") || !strings.HasSuffix(r.Output, "s-k---c-o-d-e-x---s-e-c-r-e-t---2-") {
			t.Errorf("the agent does not have its key: %s", r.Output)
		}
	})
	check("long", completed, func(t *testing.T, r runResult, k kept, res tool.Result) {
		if len(r.Output) != maxShown || !strings.HasSuffix(r.Output, strings.Repeat("a", 58)+"\n") || !strings.HasPrefix(k.Output, "line 0 ") ||
			k.Truncated || !res.Truncated {
			t.Errorf("%d and %d characters, truncated %v", len(r.Output), len(k.Output), res.Truncated)
		}
	})
	check("flood", outputExceeded, func(t *testing.T, r runResult, k kept, res tool.Result) {
		if len(k.Output) > maxKept || len(k.Output) < maxKept/2 || !k.Truncated || !res.Truncated || len(r.Output) != maxShown {
			t.Errorf("%d bytes are kept, %d shown", len(k.Output), len(r.Output))
		}
	})
}

// A session whose result cannot be stored is reported without an id.
func TestNotKept(t *testing.T) {
	w := newWorld(t, keys)
	w.agent("codex", "echo done")
	w.call.Store = &forgetful{Store: w.call.Store}
	w.play("run_coding_task",
		tooltest.Case{Name: "not kept", Args: `{"provider":"codex","prompt":"x"}`, Check: func(t *testing.T, res tool.Result) {
			if r := output(t, res); r.ResultID != nil || r.Output != "done\n" || r.State != completed {
				t.Errorf("result %s", res.Value)
			}
		}})
}

// forgetful fails to store anything but the slot, which is the first transaction.
type forgetful struct {
	tool.Store
	begun int
}

func (f *forgetful) Transaction(ctx context.Context, change func(tool.Store) error) error {
	if f.begun++; f.begun == 2 {
		return errors.New("full")
	}
	return f.Store.Transaction(ctx, change)
}

// TestForgottenSlot: a slot that was never released, because its worker died, is free after
// the time of its session.
func TestForgottenSlot(t *testing.T) {
	w := newWorld(t, keys)
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	take := func(at time.Time, within time.Duration) error {
		call := w.call
		call.Clock = tooltest.Clock{T: at}
		_, err := occupy(t.Context(), &call, within)
		return err
	}
	for range atOnce {
		if err := take(now, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if e := tool.AsError(take(now.Add(time.Minute+slotMargin-time.Second), time.Minute)); e == nil || e.Kind != tool.RateLimited {
		t.Errorf("a fourth slot is taken: %v", e)
	}
	if err := take(now.Add(time.Minute+slotMargin), time.Minute); err != nil {
		t.Errorf("no slot is free after their time: %v", err)
	}
	w.wantSlots(1)
}

// TestSlotsTakenTogether: calls that take slots concurrently get no more than there are.
func TestSlotsTakenTogether(t *testing.T) {
	w := newWorld(t, keys)
	const calls = 6
	errs := make(chan error, calls)
	for range calls {
		go func() {
			_, err := occupy(t.Context(), &w.call, time.Minute)
			errs <- err
		}()
	}
	got := 0
	for range calls {
		if err := queuetest.Receive(t, errs, "slot"); err == nil {
			got++
		} else if tool.AsError(err).Kind != tool.RateLimited {
			t.Error(err)
		}
	}
	if got != atOnce {
		t.Errorf("%d calls have a slot, want %d", got, atOnce)
	}
	w.wantSlots(atOnce)
}

// A failure of the port is a failure of the call, frees the slot and is not stored.
func TestBrokenAgent(t *testing.T) {
	w := newWorld(t, keys)
	w.agent("codex", "")
	w.binary("codex", "\x7fELF is not one")
	w.play("run_coding_task", tooltest.Case{Name: "broken", Args: `{"provider":"codex","prompt":"x"}`, Fails: tool.ExecutionError})
	w.wantSlots(0)
}

// TestSettingsOfTheWorkspace: an agent is not started where files of the workspace name
// programs that it would start.
func TestSettingsOfTheWorkspace(t *testing.T) {
	w := newWorld(t, `- tenant: acme
  service: coding-gemini
  data: {api_key: gemini-key-2}
- tenant: acme
  service: coding-codex
  data: {api_key: codex-key-3}
`)
	w.agent("gemini", showArgs)
	w.agent("codex", showArgs)
	w.file("a/.gemini/settings.json", `{"mcpServers":{"x":{"command":"sh"}}}`)
	w.file("a/b/x.txt", "")
	w.file("c/.codex/config.toml", "")
	w.file("d/.env", "")
	for args, where := range map[string]string{
		`"provider":"gemini-cli","cwd":"a"`:   "a/.gemini",
		`"provider":"gemini-cli","cwd":"a/b"`: "a/.gemini",
		`"provider":"gemini-cli","cwd":"d"`:   "d/.env",
		`"provider":"codex","cwd":"./c/"`:     "c/.codex",
	} {
		w.play("run_coding_task", tooltest.Case{
			Name:    where,
			Args:    `{"prompt":"x",` + args + `}`,
			Fails:   tool.PolicyDenied,
			Message: "would obey '" + where + "'",
		})
	}
}
