package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/durabletest"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// program returns the job of a program.
func program(code string, parent js.Host) sandbox.Job {
	return sandbox.Job{
		Tenant: "t", Name: "program", Code: code, Host: parent,
		Durable: &js.Durable{ID: "p-1", NowMS: 1_790_000_000_000, Zone: "Pacific/Auckland"},
	}
}

func TestDurable(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 2, Durable: true})
	const code = `
		const zero = new Date(0)
		const seen = [program.id, program.today(), input, new Date().getHours(), zero.getTimezoneOffset(), String(zero), Math.random()]
		const [a, b] = await Promise.all([tools.a({n: 1}), program.step("s", () => tools.b.c({n: 2}))])
		await program.sleep("1h"); console.log(a, b)
		return [...seen, program.now()]`
	live := &durabletest.Parent{NowMS: 1_790_000_000_000, Seed: 3}
	want, err := p.Run(t.Context(), program(code, live))
	if err != nil || !strings.HasPrefix(string(want), `["p-1","2026-09-22",null,14,0,"Thu Jan 01 1970 00:00:00 GMT+0000 (UTC)",0.`) {
		t.Fatalf("Run = %s, %v", want, err)
	}
	if len(live.Steps) != 2 || live.Steps[1].Name != "s" || len(live.Sleeps) != 1 || len(live.Logs) != 1 || !live.Ended {
		t.Errorf("it did %+v, %+v, %+v", live.Steps, live.Sleeps, live.Logs)
	}
	for range 3 { // in the same child
		again := &durabletest.Parent{Journal: slices.Clone(live.Journal)}
		if got, err := p.Run(t.Context(), program(code, again)); err != nil || string(got) != string(want) {
			t.Errorf("the replay = %s, %v, want %s", got, err, want)
		}
	}
}

// Random programs do the same again in another child as well.
func TestReplayInTheCage(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1, Durable: true})
	for seed := range uint64(20) {
		live := &durabletest.Parent{Run: durabletest.Outcome, Seed: seed + 1, NowMS: 1_790_000_000_000}
		j := program(durabletest.Races(seed), live)
		want, err := p.Run(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range []int{1, 0} {
			again := &durabletest.Parent{Run: durabletest.Outcome, Journal: slices.Clone(live.Journal), Batch: batch}
			j.Host, j.Tenant = again, string(rune('a'+batch))
			if got, err := p.Run(t.Context(), j); err != nil || string(got) != string(want) {
				t.Errorf("%s\n= %s, %v, want %s", j.Code, got, err, want)
			}
			if a, b := fmt.Sprint(again.Steps, again.Sleeps, again.Logs), fmt.Sprint(live.Steps, live.Sleeps, live.Logs); a != b {
				t.Errorf("%s\ndid %s\nwant %s", j.Code, a, b)
			}
		}
	}
}

// The same code is another program as a script, as a program and as a durable tool.
func TestKindsOfCode(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1, Durable: true})
	const code = "return [typeof tools, typeof input, typeof args, typeof program, typeof utils]"
	for range 2 {
		for _, tt := range []struct {
			durable *js.Durable
			want    string
		}{
			{nil, `["undefined","undefined","object","undefined","object"]`},
			{&js.Durable{}, `["object","object","undefined","object","undefined"]`},
			{&js.Durable{Tool: true}, `["object","undefined","object","object","undefined"]`},
		} {
			j := sandbox.Job{Tenant: "t", Name: "x", Code: code, Durable: tt.durable, Host: &durabletest.Parent{}}
			if got, err := p.Run(t.Context(), j); err != nil || string(got) != tt.want {
				t.Errorf("Run = %s, %v, want %s", got, err, tt.want)
			}
		}
	}
	scripts := newPool(t, sandbox.Options{Slots: 1})
	_, err := scripts.Run(t.Context(), program("return 1", &durabletest.Parent{}))
	wants(t, err, tool.Unsupported, "runs no programs")
}

// A run ends with the kind of a step's error only if a step had it.
func TestKindsOfErrors(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1, Durable: true})
	parent := func() *durabletest.Parent {
		return &durabletest.Parent{Run: func(s js.Step) (json.RawMessage, *js.StepError) {
			return nil, &js.StepError{Type: s.Tool, Message: "refused"}
		}}
	}
	for _, tt := range []struct {
		code string
		kind tool.Kind
		text string
	}{
		{"await tools.policy_denied()", tool.PolicyDenied, "refused (line 1, column 26)"},
		{"await tools.internal()", tool.ExecutionError, "refused"},
		{"throw new Error('mine')", tool.ExecutionError, "mine (line 1"},
		{"for (;;) tools.x()", tool.RateLimited, "2000 calls"},
		{"await new Promise(() => {})", tool.ExecutionError, "never settles"},
		{"return (", tool.ValidationError, "line 1"},
		{"return 'x'.repeat(2e6)", tool.ExecutionError, "at most 1048576"},
		{"await fetch('http://localhost')", tool.ExecutionError, "tools.NAME"},
	} {
		_, err := p.Run(t.Context(), program(tt.code, parent()))
		wants(t, err, tt.kind, tt.text)
	}
}

// The turn of a program ends with the error of its host, and its child serves the next run.
func TestTurnEnds(t *testing.T) {
	t.Parallel()
	var killed kills
	p := newPool(t, sandbox.Options{Slots: 1, Durable: true, Killed: killed.add})
	for range 3 {
		parent := &durabletest.Parent{
			Stop:  tool.Fail(tool.Cancelled, "the turn is over"),
			Until: func(q js.NextRequest) bool { return len(q.Sleeps) > 0 },
		}
		_, err := p.Run(t.Context(), program("try { await tools.a(); await program.sleep('1d') } finally { await tools.b() }", parent))
		wants(t, err, tool.Cancelled, "the turn is over")
		if len(parent.Steps) != 1 || parent.Ended {
			t.Errorf("it did %v", parent.Steps)
		}
	}
	if got := killed.take(); len(got) != 0 {
		t.Errorf("killed for %v", got)
	}
}

// answers is a host of a program of one function.
type answers func(context.Context, js.Request) (js.NextAnswer, error)

func (f answers) Do(ctx context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
	a, err := f.Answer(ctx, js.Request{Op: op, Args: args})
	return a.Value, err
}

func (f answers) Answer(ctx context.Context, req js.Request) (js.Answer, error) {
	answer, err := f(ctx, req)
	if err != nil {
		return js.Answer{}, err
	}
	raw, err := json.Marshal(answer)
	return js.Answer{Value: raw}, err
}

func asked(t *testing.T, req js.Request) (q js.NextRequest) {
	t.Helper()
	if err := json.Unmarshal(req.Args, &q); err != nil {
		t.Error(err)
	}
	return q
}

// The limits of a program apply to each part of its code, and never while it waits.
func TestLimitsOfAProgram(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code    string
		limits  sandbox.Limits
		replay  bool
		replays bool
		wait    time.Duration
		kind    tool.Kind
		text    string
		reason  string
	}{
		"a wait beyond the wall limit": {
			code: "await tools.a(); await tools.a(); return 1", limits: sandbox.Limits{Wall: 500 * time.Millisecond}, wait: 600 * time.Millisecond,
		},
		"cpu at first":    {code: "for (;;);", limits: sandbox.Limits{CPU: 100 * time.Millisecond}, kind: tool.Timeout, text: "more than 100ms of CPU between two steps", reason: "cpu"},
		"cpu after":       {code: "await tools.a(); for (;;);", limits: sandbox.Limits{CPU: 100 * time.Millisecond}, kind: tool.Timeout, text: "CPU between two steps", reason: "cpu"},
		"cpu after a day": {code: "await program.sleep('1d'); for (;;);", limits: sandbox.Limits{CPU: time.Second}, kind: tool.Timeout, text: "1 s of CPU", reason: "cpu"},
		"wall":            {code: "await tools.a(); for (;;);", limits: sandbox.Limits{Wall: 100 * time.Millisecond}, kind: tool.Timeout, text: "next step within 100ms", reason: "wall"},
		"replay": {
			code: "await tools.a(); for (;;);", limits: sandbox.Limits{Replay: 600 * time.Millisecond, CPU: 200 * time.Millisecond}, replay: true,
			kind: tool.Timeout, text: "the replay of the program took longer than 600ms", reason: "wall",
		},
		"replay in many parts": {
			code: "for (;;) { await tools.a(); for (let i = 0; i < 1e5; i++); }", limits: sandbox.Limits{Replay: 200 * time.Millisecond, CPU: 20 * time.Millisecond}, replay: true,
			replays: true, kind: tool.Timeout, text: "the replay of the program", reason: "wall",
		},
		"replay from the start": {
			code: "for (;;);", limits: sandbox.Limits{Replay: 300 * time.Millisecond, CPU: 50 * time.Millisecond}, replays: true,
			kind: tool.Timeout, text: "the replay of the program", reason: "wall",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var killed kills
			p := newPool(t, sandbox.Options{Slots: 1, Durable: true, Killed: killed.add})
			j := program(tt.code, answers(func(_ context.Context, req js.Request) (js.NextAnswer, error) {
				q := asked(t, req)
				answer := js.NextAnswer{Replay: tt.replay}
				for _, s := range q.Steps {
					answer.Events = append(answer.Events, js.Event{Step: s.N})
				}
				for _, s := range q.Sleeps {
					answer.Events = append(answer.Events, js.Event{Sleep: s.N})
				}
				if tt.wait > 0 {
					<-time.After(tt.wait)
				}
				return answer, nil
			}))
			j.Limits, j.Replays = tt.limits, tt.replays
			got, err := p.Run(t.Context(), j)
			if tt.kind == "" {
				if err != nil || string(got) != "1" {
					t.Errorf("Run = %s, %v", got, err)
				}
				return
			}
			wants(t, err, tt.kind, tt.text)
			if got := killed.take(); got[tt.reason] != 1 {
				t.Errorf("killed for %v, want %s", got, tt.reason)
			}
		})
	}
}

// The host sees the CPU time of each part.
func TestCPUOfParts(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1, Durable: true})
	var used []time.Duration
	_, err := p.Run(t.Context(), program("await tools.a(); for (let i = 0; i < 3e6; i++); await tools.b(); program.log(1); return 1",
		answers(func(_ context.Context, req js.Request) (js.NextAnswer, error) {
			used = append(used, req.CPU)
			var answer js.NextAnswer
			for _, s := range asked(t, req).Steps {
				answer.Events = append(answer.Events, js.Event{Step: s.N})
			}
			return answer, nil
		})))
	if err != nil || len(used) != 3 || used[0] <= 0 || used[2] <= 0 || used[1] <= used[2] {
		t.Errorf("CPU of parts = %v, %v", used, err)
	}
}

// Hostile code costs its own program only.
func TestHostilePrograms(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 2, Durable: true})
	limits := sandbox.Limits{Wall: 2 * time.Second, CPU: 200 * time.Millisecond, Replay: time.Second}
	kinds := append(slices.Clone(endings), tool.RateLimited)
	for _, code := range []string{
		"for (;;);",
		"for (;;) await null",
		"await tools.a(); const again = () => Promise.resolve().then(again); await again()",
		"for (;;) tools.a()",
		"for (;;) { try { tools.a() } catch {} }",
		"for (;;) { try { await tools.a() } catch {} }",
		"for (let i = 0; ; i++) tools['a' + i]",
		"let t = tools; for (;;) t = t.a",
		"await tools.a(); const a = []; for (;;) a.push(new Array(100).fill(1.5))",
		"const f = async () => { await tools.a(); await f() }; await f()",
		"const f = () => program.step('x'.repeat(1e6), f); await f()",
		"const f = async n => n && program.step('x', () => f(n - 1)); return await f(1e5)",
		"for (;;) program.log('x'.repeat(1e6))",
		"for (;;) program.sleep(1)",
		"await new Promise(() => {})",
		"return 'x'.repeat(1e8)",
		"await tools.a({x: 'x'.repeat(1e8)})",
		"await tools.a({x: 'x'.repeat(3e6)}); return 1",
		"await tools['x'.repeat(1e7)]()",
		"await program.ask('x'.repeat(1e7))",
		"await program.ask('?', JSON.parse('{\"a\":'.repeat(9e3) + '1' + '}'.repeat(9e3)))",
		"const f = () => f(); f()",
		"const a = {}; a.a = a; await tools.a(a)",
		"return tools.a({get x() { for (;;); }})",
		"return tools.a(new Proxy({}, {ownKeys() { for (;;); }}))",
		"await tools.a({toJSON() { return tools.b({toJSON: this.toJSON}) }})",
		"Promise.prototype.then = () => { for (;;); }; await tools.a(); return 1",
		"Object.prototype.then = function (f) { for (;;); }; return await tools.a({})",
		"Object.defineProperty(Object.prototype, 'answer', {get() { for (;;); }}); return await program.ask('?')",
		"class P extends Promise { constructor() { for (;;); } }; Promise.prototype.constructor = P; await Promise.all([tools.a()])",
		"throw {get message() { for (;;); }}",
		"console.log(tools, tools.a, program, {get a() { for (;;); }}); return 1",
		"return eval('tools.a({x: 1})')",
		"return new Function('t', 'return t.a({})')(tools)",
		"Reflect.construct(tools.a, []); return 1",
		"new tools.a()",
		"return Reflect.ownKeys(tools.a).concat(Reflect.ownKeys(tools)).length",
		"for (const k in tools) return k; with (tools) { await echo({}) } return 1",
		"\u202e return 1 /* \u2066 */",
		strings.Repeat("\n", 10000) + "return 1",
		"return " + strings.Repeat("(", 5000),
	} {
		parent := &durabletest.Parent{}
		j := program(code, parent)
		j.Limits = limits
		v, err := p.Run(t.Context(), j)
		if e := tool.AsError(err); e != nil && (!slices.Contains(kinds, e.Kind) || len(e.Msg) > 5000) {
			t.Errorf("%.80s: Run = %.200s", code, err)
		}
		t.Logf("%.80s: %.60s, %.200v", strings.TrimSpace(code), v, err)
		if n := parent.Made(); n > js.MaxSteps {
			t.Errorf("%s: %d steps", code, n)
		}
		if v, err := p.Run(t.Context(), program("return ({}).then === undefined", &durabletest.Parent{})); err != nil || string(v) != "true" {
			t.Fatalf("after %.80s Run = %s, %v", code, v, err)
		}
	}
}

// TestSurveyOfAProgram: a program that is only compiled answers with its uses of tools, in any
// pool.
func TestSurveyOfAProgram(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	j := program("if (input) await tools.a.b({x: 1})", nil)
	j.CompileOnly = true
	got, err := p.Run(t.Context(), j)
	if err != nil || string(got) != `[{"name":"a.b","keys":["x"],"line":1,"column":18}]` {
		t.Errorf("Run = %s, %v", got, err)
	}
	j.Code = "return 1"
	if got, err := p.Run(t.Context(), j); err != nil || string(got) != `[]` {
		t.Errorf("Run = %s, %v", got, err)
	}
	j.Code = "return ("
	_, err = p.Run(t.Context(), j)
	wants(t, err, tool.ValidationError, "line 1, column ")
	j.Code = "await fetch('x')"
	_, err = p.Run(t.Context(), j)
	wants(t, err, tool.ValidationError, "tools.NAME")
}
