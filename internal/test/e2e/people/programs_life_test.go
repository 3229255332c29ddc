package people

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
	"github.com/helve-dev/helve/protocol"
)

// runProgram makes a program of ann's whose code has no quotes but single ones.
func runProgram(t *testing.T, d system.Door, id, code string, more ...string) system.Element {
	t.Helper()
	return system.Execute(t, d, "default", fmt.Sprintf(
		`{"context": {"user": "ann"}, "wait_ms": 0, "calls": [{"call_id": %q, "tool": "run_program", "arguments": {"code": %q%s}}]}`,
		id, code, strings.Join(more, ""))).Results[0]
}

// stepIs waits until a step is in a state.
func stepIs(t *testing.T, d system.Door, id, state string) {
	t.Helper()
	system.Eventually(t, id+" is "+state, func() bool {
		r := d.Ask(t, "default", "calls.get", map[string]string{"call_id": id}, "")
		return r.Status == 200 && system.Decode[protocol.Result](t, r).State == state
	})
}

func annWith(t *testing.T, change func(*config.Config)) system.Door {
	t.Helper()
	file, keys := system.KeysFile(t, identity.Entry{User: "ann", Roles: []string{"user", "approver"}})
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) {
		c.Auth.KeysFile = file
		if change != nil {
			change(c)
		}
	}})
	return system.HTTPDoor{Client: mcpclient.Web(t, s, map[string]string{"Authorization": "Bearer " + keys[0]}), URL: s.URLs[0]}
}

// TestProgramIsCancelled: a program that a worker runs, and a program that waits, end in cancelled
// with their open steps, and their code has no further turn.
func TestProgramIsCancelled(t *testing.T) {
	t.Parallel()
	const code = `try { await tools.debug.sleep({ms: 60000}); } finally { await tools.debug.effect({key: 'late'}); }`
	for name, hot := range map[string]time.Duration{"running": 20 * time.Second, "waiting": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ann := annWith(t, func(c *config.Config) { c.Durable.Hot = hot })
			runProgram(t, ann, "p", code)
			stepIs(t, ann, "p~1", "running")
			stepIs(t, ann, "p", name)
			got := system.Decode[protocol.Result](t, ann.Ask(t, "default", "calls.cancel", map[string]string{"call_id": "p"}, ""))
			if got.ErrorType != "cancelled" || fmt.Sprint(got.Metadata["unfinished"]) != "[p~1]" {
				t.Errorf("the program ended in %+v", got)
			}
			step := system.Decode[protocol.Result](t, ann.Ask(t, "default", "calls.get", map[string]string{"call_id": "p~1"}, ""))
			if step.ErrorType != "cancelled" || step.Parent != "p" || step.Origin != "program" {
				t.Errorf("its step ended in %+v", step)
			}
			if r := ann.Ask(t, "default", "calls.get", map[string]string{"call_id": "p~2"}, ""); r.Status != 404 {
				t.Errorf("the code went on: %s", r.Body)
			}
		})
	}
}

// TestProgramWaitsForConsent: the request of a step names the program and its line, waits as long
// as programs may, and the verdict lets the program continue, also a refusal.
func TestProgramWaitsForConsent(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	runProgram(t, ann, "p", "await tools.write_file({path: 'a', content: 'b'});\n"+
		"await program.step('tidy up', async () => {\n  try { await tools.delete_file({path: 'a'}); } catch (e) { program.log(e.error_type); }\n});\n"+
		"await tools.delete_file({path: 'a'});\nreturn 'done';")
	for _, decision := range []string{"deny", "grant"} {
		p := untilWaiting(t, ann, "p")
		id := p.WaitingFor[0].ConsentID
		c := system.Decode[protocol.Consent](t, ann.Ask(t, "default", "consent.get", map[string]string{"consent_id": id}, ""))
		want := protocol.ConsentProgram{CallID: "p", Line: 3, Step: "tidy up", Covers: "delete_file to workspace"}
		if decision == "grant" {
			want = protocol.ConsentProgram{CallID: "p", Line: 5, Covers: "delete_file to workspace"}
		}
		if c.Program == nil || *c.Program != want || c.ExpiresAt.Sub(c.RequestedAt) != 24*time.Hour {
			t.Errorf("the request is %+v of %+v", c, c.Program)
		}
		ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": id}, `{"decision": "`+decision+`"}`)
		system.Eventually(t, "the verdict arrives", func() bool {
			r := ann.Ask(t, "default", "programs.get", map[string]string{"call_id": "p"}, "")
			now := system.Decode[protocol.ProgramDetail](t, r)
			return now.State == "done" || now.State == "waiting" && now.WaitingFor[0].ConsentID != id
		})
	}
	system.WantResult(t, system.Settled(t, ann, "default", "p"), `"done"`)
}

// TestProgramBounds: a program that may not, or is no program, ends before its first step with the
// place and the reason.
func TestProgramBounds(t *testing.T) {
	t.Parallel()
	ann := annWith(t, func(c *config.Config) { c.Durable.MaxWaiting = 3 })
	for name, tt := range map[string]struct{ code, more, kind, says string }{
		"syntax":       {"const x = ;", "", "validation_error", "line 1"},
		"unknown tool": {"if (false) {\n  await tools.calculat({});\n}", "", "validation_error", "line 2, column 9: tool 'calculat' not found; the nearest are calculate"},
		"beyond tools": {"await tools.debug.echo({value: 1})", `, "tools": ["calculate", "list_*"]`, "validation_error", "may not call 'debug.echo'"},
		"named late":   {"const name = 'debug.' + 'echo'; await tools[name]({value: 1})", `, "tools": ["calculate"]`, "permission_denied", "may not call 'debug.echo'"},
		"through use_tool": {"await tools.use_tool({tool_name: 'debug.echo', arguments: {value: 1}})", `, "tools": ["use_tool"]`,
			"permission_denied", "may not call 'debug.echo'"},
		"through a batch": {"await tools.batch_use_tool({calls: [{tool_name: 'debug.echo', arguments: {value: 1}}]})", `, "tools": ["batch_use_tool"]`,
			"permission_denied", "may not call 'debug.echo'"},
		"through a program": {"return await tools.run_program({code: 'return await tools.debug.echo({value: 1})'})", `, "tools": ["run_program"]`,
			"permission_denied", "may not call 'debug.echo'"},
		"parameter":      {"await tools.write_file({path: 'a', contents: 'b'})", "", "validation_error", "did you mean 'content'"},
		"never settles":  {"await new Promise(() => {})", "", "execution_error", "never settles"},
		"throws":         {"\nthrow new Error('quokka')", "", "execution_error", "quokka (line 2"},
		"its own error":  {"await tools.debug.fail({how: 'error'})", "", "execution_error", "line 1"},
		"nothing beside": {"await fetch('http://127.0.0.1/')", "", "validation_error", "tools"},
		"too deep": {"return await tools.run_program({code: 'return await tools.run_program({code: \"return await tools.run_program({code: String(1)})\"})'})",
			"", "rate_limited", "3 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			id := strings.ReplaceAll(name, " ", "-")
			runProgram(t, ann, id, tt.code, tt.more)
			got := system.Settled(t, ann, "default", id)
			if got.ErrorType != tt.kind || !strings.Contains(got.Message, tt.says) {
				t.Errorf("%s: %s, want %s with %q", got.ErrorType, got.Message, tt.kind, tt.says)
			}
		})
	}
	for _, id := range []string{"w1", "w2", "w3"} {
		runProgram(t, ann, id, "await program.sleep('1h')")
		untilWaitingFor(t, ann, id, protocol.WaitSleep)
	}
	got := runProgram(t, ann, "w4", "return 1")
	if got.ErrorType != "rate_limited" || !strings.Contains(got.Message, "3 programs") {
		t.Errorf("a program too many: %s: %s", got.ErrorType, got.Message)
	}
	ann.Ask(t, "default", "calls.cancel", map[string]string{"call_id": "w1"}, "")
	system.Eventually(t, "there is room, and the id was not used up", func() bool { // each dispatcher counts what it follows
		return runProgram(t, ann, "w4", "return 1").Status != "error"
	})
	system.WantResult(t, system.Settled(t, ann, "default", "w4"), "1")
}

func untilWaitingFor(t *testing.T, d system.Door, id, kind string) {
	t.Helper()
	system.Eventually(t, id+" waits", func() bool {
		r := d.Ask(t, "default", "calls.get", map[string]string{"call_id": id}, "")
		got := system.Decode[protocol.Result](t, r)
		return got.State == protocol.StateWaiting && len(got.WaitingFor) == 1 && got.WaitingFor[0].Kind == kind
	})
}

// TestProgramsAreErased: with the data of a person go the programs, those that wait as well.
func TestProgramsAreErased(t *testing.T) {
	t.Parallel()
	file, keys := system.KeysFile(t, identity.Entry{User: "ann", Roles: []string{"user"}}, identity.Entry{User: "root", Roles: []string{"admin"}})
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Auth.KeysFile = file }})
	door := func(i int) system.Door {
		return system.HTTPDoor{Client: mcpclient.Web(t, s, map[string]string{"Authorization": "Bearer " + keys[i]}), URL: s.URLs[0]}
	}
	ann, root := door(0), door(1)
	runProgram(t, ann, "done", "return 'quokka'")
	system.WantResult(t, system.Settled(t, ann, "default", "done"), `"quokka"`)
	runProgram(t, ann, "asleep", "await program.sleep('1h')")
	untilWaitingFor(t, ann, "asleep", protocol.WaitSleep)
	list := system.Decode[protocol.CallList](t, ann.Ask(t, "default", "calls.list", map[string]string{"state": "waiting"}, ""))
	if len(list.Calls) != 1 || list.Calls[0].CallID != "asleep" || list.Calls[0].State != protocol.StateWaiting {
		t.Errorf("the calls that wait are %+v", list.Calls)
	}
	if r := root.Ask(t, "default", "data.delete", map[string]string{"user": "ann"}, ""); r.Status != 200 {
		t.Fatalf("data.delete: %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "no program is listed", func() bool {
		r := ann.Ask(t, "default", "programs.list", nil, "")
		return len(system.Decode[protocol.Programs](t, r).Programs) == 0
	})
	for _, id := range []string{"done", "asleep"} {
		if r := ann.Ask(t, "default", "programs.get", map[string]string{"call_id": id}, ""); r.Status != 404 {
			t.Errorf("programs.get of %s: %d %s", id, r.Status, r.Body)
		}
	}
	// A cancelled program may be closed by two dispatchers; what the second one writes goes after it.
	system.Eventually(t, "no journal is left", func() bool { return len(s.StoredMessages(t, streams.Programs, "")) == 0 })
}
