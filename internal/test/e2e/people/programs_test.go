package people

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
	"github.com/helve-dev/helve/protocol"
)

// remindCode makes a step that works and a step that fails, and waits for the person in line 4.
const remindCode = `const n = await tools.debug.echo({value: 41});\n` +
	`program.log('got ' + n, 'api_key=sk-abcdefghijklmnopqrstuvwx');\n` +
	`try { await tools.debug.fail({how: 'error'}); } catch (e) { program.log(e.error_type); }\n` +
	`const ok = await program.ask('Go on?', {type: 'boolean'});\n` +
	`return ok ? n + 1 : 0;`

const remindCall = `{"context": {"user": "ann"}, "wait_ms": 0, "calls": [{"call_id": "remind", "tool": "run_program", "arguments": {"code": "` +
	remindCode + `", "input": {"password": "hunter22", "animal": "quokka"}}}]}`

// peopleWith returns doors of a new system with the keys of entries, by the name of the person and the agent.
func peopleWith(t *testing.T, entries ...identity.Entry) map[string]system.Door {
	t.Helper()
	file, keys := system.KeysFile(t, entries...)
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Auth.KeysFile = file }})
	doors := map[string]system.Door{}
	for i, key := range keys {
		name := entries[i].User + entries[i].Agent
		doors[name] = system.HTTPDoor{Client: mcpclient.Web(t, s, map[string]string{"Authorization": "Bearer " + key}), URL: s.URLs[0]}
	}
	return doors
}

// untilWaiting waits until a program waits for a person, and returns it.
func untilWaiting(t *testing.T, d system.Door, callID string) (p protocol.ProgramDetail) {
	t.Helper()
	system.Eventually(t, callID+" waits", func() bool {
		r := d.Ask(t, "default", "programs.get", map[string]string{"call_id": callID}, "")
		if r.Status != 200 {
			return false
		}
		p = system.Decode[protocol.ProgramDetail](t, r)
		return p.State == protocol.StateWaiting
	})
	return p
}

// TestProgramIsShown: a program is listed and shown with its source, steps, log and what it waits
// for, without secrets, to its person and to those who oversee; a look of the latter is on the
// trail, and for others there is none.
func TestProgramIsShown(t *testing.T) {
	t.Parallel()
	doors := peopleWith(t,
		identity.Entry{User: "ann", Roles: []string{"user"}}, identity.Entry{User: "bob", Roles: []string{"user"}},
		identity.Entry{User: "eve", Roles: []string{"auditor"}}, identity.Entry{User: "root", Roles: []string{"admin"}},
		identity.Entry{User: "ann", Agent: "clerk", Roles: []string{"agent"}})
	ann, bob, eve, root, clerk := doors["ann"], doors["bob"], doors["eve"], doors["root"], doors["annclerk"]
	system.Execute(t, ann, "default", remindCall)
	p := untilWaiting(t, ann, "remind")
	if !strings.Contains(p.Code, "program.ask") || !strings.Contains(string(p.Input), "quokka") || strings.Contains(string(p.Input), "hunter22") {
		t.Errorf("the source is %q, the input %s", p.Code, p.Input)
	}
	var steps []string
	for _, s := range p.Steps {
		steps = append(steps, s.Tool+" "+s.State+" "+s.Status+string(s.ErrorType))
		if s.Line != s.N && s.N == 1 || s.StartedAt.IsZero() || s.CallID != "remind~"+string(rune('0'+s.N)) {
			t.Errorf("a step is %+v", s)
		}
	}
	if got := strings.Join(steps, ", "); got != "debug.echo done success, debug.fail done errorexecution_error, ask_user running " {
		t.Errorf("the steps are %s", got)
	}
	if len(p.Log) != 2 || !strings.HasPrefix(p.Log[0].Message, "got 41") || strings.Contains(p.Log[0].Message, "sk-abc") ||
		p.Log[1].Message != "execution_error" {
		t.Errorf("the log is %+v", p.Log)
	}
	if len(p.WaitingFor) != 1 || p.WaitingFor[0].Kind != protocol.WaitAnswer || p.WaitingFor[0].ConsentID == "" || p.Steps[2].Line != 4 {
		t.Errorf("it waits for %+v in %+v", p.WaitingFor, p.Steps)
	}

	list := func(d system.Door, params map[string]string) (ids string) {
		t.Helper()
		for _, p := range system.Decode[protocol.Programs](t, d.Ask(t, "default", "programs.list", params, "")).Programs {
			ids += p.CallID + " " + p.State + ";"
		}
		return ids
	}
	for _, tt := range []struct {
		by     string
		params map[string]string
		want   string
	}{
		{"ann", nil, "remind waiting;"}, {"root", nil, "remind waiting;"}, {"eve", map[string]string{"user": "ann", "status": "pending"}, "remind waiting;"},
		{"bob", nil, ""}, {"annclerk", nil, ""}, {"ann", map[string]string{"status": "success"}, ""}, {"root", map[string]string{"user": "bob"}, ""},
	} {
		if got := list(doors[tt.by], tt.params); got != tt.want {
			t.Errorf("%s lists %v: %q, want %q", tt.by, tt.params, got, tt.want)
		}
	}
	one := map[string]string{"call_id": "remind"}
	system.WantProblem(t, "another person", bob.Ask(t, "default", "programs.get", one, ""), 404, client.NotFound)
	system.WantProblem(t, "another agent", clerk.Ask(t, "default", "programs.get", one, ""), 404, client.NotFound)
	system.WantProblem(t, "another's list", bob.Ask(t, "default", "programs.list", map[string]string{"user": "ann"}, ""), 403, client.Forbidden)
	if r := eve.Ask(t, "default", "programs.get", one, ""); r.Status != 200 {
		t.Errorf("an auditor is answered %d %s", r.Status, r.Body)
	}
	looks := string(root.Ask(t, "default", "audit.query", map[string]string{"phase": "call_viewed", "call_id": "remind"}, "").Body)
	if !strings.Contains(looks, `"by":"eve"`) || !strings.Contains(looks, "programs.get") || strings.Contains(looks, `"by":"ann"`) {
		t.Errorf("the looks on the trail are %s", looks)
	}

	ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": p.WaitingFor[0].ConsentID},
		`{"decision": "grant", "answer": {"answer": true}}`)
	system.WantResult(t, system.Settled(t, ann, "default", "remind"), "42")
	if got := list(ann, map[string]string{"status": "success"}); got != "remind done;" {
		t.Errorf("after its end ann lists %q", got)
	}
}

// TestProgramPages: the programs of a tenant come once each, the newest first, page by page, and a
// page that cannot be is refused.
func TestProgramPages(t *testing.T) {
	t.Parallel()
	doors := peopleWith(t, identity.Entry{User: "ann", Roles: []string{"user"}})
	ann := doors["ann"]
	var want []string
	for _, id := range []string{"p1", "p2", "p3", "p4", "p5"} {
		system.Execute(t, ann, "default", `{"context": {"user": "ann"}, "wait_ms": 30000, "calls": [{"call_id": "`+id+`", "tool": "run_program",
			"arguments": {"code": "return 1"}}]}`)
		want = append([]string{id}, want...)
	}
	var got []string
	for params := map[string]string{"limit": "2"}; ; {
		page := system.Decode[protocol.Programs](t, ann.Ask(t, "default", "programs.list", params, ""))
		for _, p := range page.Programs {
			got = append(got, p.CallID)
		}
		if params["cursor"] = page.Next; page.Next == "" {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("page by page: %v, want %v", got, want)
	}
	for name, value := range map[string]string{"limit": "201", "status": "done", "cursor": "x", "user": "a b"} {
		system.WantProblem(t, name, ann.Ask(t, "default", "programs.list", map[string]string{name: value}, ""), 400, client.BadRequest)
	}
}

// TestProgramRuns: a program that a worker has is running, and a cancelled program shows the
// step that was cut off.
func TestProgramRuns(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Durable.Hot = 20 * time.Second }})
	d := s.HTTP(0)
	system.Enqueue(t, d, "default", `{"call_id": "sleeps", "tool": "use_tool", "arguments": {"tool_name": "run_program",
		"arguments": {"code": "await tools.debug.sleep({ms: 600000})", "tools": ["debug.*"]}}}`)
	one := func(id string) protocol.ProgramDetail {
		return system.Decode[protocol.ProgramDetail](t, d.Ask(t, "default", "programs.get", map[string]string{"call_id": id}, ""))
	}
	system.Eventually(t, "it runs", func() bool { return one("sleeps").State == protocol.StateRunning })
	if p := one("sleeps"); p.Tool != "run_program" || !strings.Contains(p.Code, "debug.sleep") {
		t.Errorf("by way of use_tool it is %+v", p)
	}
	list := system.Decode[protocol.Programs](t, d.Ask(t, "default", "programs.list", map[string]string{"status": "pending"}, ""))
	if len(list.Programs) != 1 || list.Programs[0].State != protocol.StateRunning {
		t.Errorf("the list is %+v", list)
	}
	system.Eventually(t, "its step runs", func() bool {
		return d.Ask(t, "default", "calls.get", map[string]string{"call_id": "sleeps~1"}, "").Status == 200
	})
	system.ByID(t, d, "calls.cancel", "default", "sleeps~1")
	system.Eventually(t, "it has ended", func() bool { return one("sleeps").State == protocol.StateDone })
	wantCut(t, one("sleeps"))

	system.Execute(t, d, "default", `{"context": {"user": "ann"}, "wait_ms": 0, "calls": [
		{"call_id": "asks", "tool": "run_program", "arguments": {"code": "await program.ask('Go on?')"}}]}`)
	untilWaiting(t, d, "asks")
	system.Eventually(t, "the metric shows that it waits", func() bool { return s.Metric(t, `helve_programs{state="waiting"}`) == 1 })
	for _, server := range []string{s.URLs[0], s.Config.NATS.URL} { // by both doors
		for args, want := range map[string]string{"list --status pending": "asks", "show asks": "> 1 | await program.ask"} {
			code, out, errs := system.Command(t, nil, append(append([]string{"programs"}, strings.Fields(args)...), "--server", server)...)
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("helve programs %s = %d %s%s", args, code, out, errs)
			}
		}
	}
	if code, out, errs := system.Command(t, nil, "programs", "cancel", "asks", "--server", s.URLs[0]); code != 0 {
		t.Errorf("helve programs cancel = %d %s%s", code, out, errs)
	}
	system.Eventually(t, "it has ended", func() bool { return one("asks").State == protocol.StateDone })
	if p := one("asks"); p.ErrorType != protocol.Cancelled {
		t.Errorf("after the cancel it is %+v", p)
	}
	wantCut(t, one("asks"))
	if n := s.Metric(t, `helve_program_turns_total{outcome="waits"}`); n < 1 {
		t.Errorf("%v turns wait by the metric", n)
	}
	if n := s.Metric(t, `helve_program_turns_total{outcome="ended"}`); n != 1 {
		t.Errorf("%v turns have ended by the metric, want 1", n)
	}
	if n := s.Metric(t, "helve_program_journal_bytes_total"); n < 50 {
		t.Errorf("the journals have %v bytes by the metric", n)
	}
}

// wantCut checks that a program has ended, and that its only step was cancelled.
func wantCut(t *testing.T, p protocol.ProgramDetail) {
	t.Helper()
	if p.Status != protocol.StatusError || len(p.Steps) != 1 || p.EndedAt == nil || p.Steps[0].State != protocol.StateDone ||
		p.Steps[0].ErrorType != protocol.Cancelled {
		t.Errorf("it is %+v, want its step cancelled", p)
	}
}
