package js_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/durabletest"
	"github.com/helve-dev/helve/tool"
)

// Time is that of the last event, and begins with that of the program.
func TestTimeOfAProgram(t *testing.T) {
	t.Parallel()
	gives(t, `
		const seen = [program.now(), program.today(), Date.now(), new Date().toISOString()]
		await tools.echo(); seen.push(program.now(), Date.now())
		await program.sleep("1d"); seen.push(program.now())
		return seen`,
		`["2026-09-21T14:13:20.000Z","2026-09-22",1790000000000,"2026-09-21T14:13:20.000Z",`+
			`"2026-09-21T14:13:21.000Z",1790000001000,"2026-09-22T14:13:21.000Z"]`)
	// A worker whose clock is late does not turn the time back.
	parent := &durabletest.Parent{Journal: []js.Event{{Step: 1, NowMS: began + 5000}, {Step: 2, NowMS: began - 5000}, {Step: 3}}}
	got, err := play(t, parent, `const t = []; for (let i = 0; i < 3; i++) { await tools.a(); t.push(Date.now() - 1790000000000) } return t`, "null")
	if err != nil || got != "[5000,5000,5000]" {
		t.Errorf("times = %s, %v", got, err)
	}
}

// TestToday: the date is that of the person's zone at the time of the program, also where the clocks
// change, and in UTC without a zone or in a zone that this machine does not know.
func TestToday(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ zone, now, want string }{
		{"", "2026-03-01T23:30:00Z", "2026-03-01"},
		{"Mars/Base", "2026-03-01T23:30:00Z", "2026-03-01"},
		{"Europe/Berlin", "2026-03-01T23:30:00Z", "2026-03-02"},
		{"America/New_York", "2026-03-02T04:30:00Z", "2026-03-01"},
		// Summer time: 22:30 in UTC is 23:30 the day before the clocks change, and 00:30 the day after.
		{"Europe/Berlin", "2026-03-28T22:30:00Z", "2026-03-28"},
		{"Europe/Berlin", "2026-03-29T22:30:00Z", "2026-03-30"},
		{"Europe/Berlin", "2026-10-24T22:30:00Z", "2026-10-25"},
		{"Europe/Berlin", "2026-10-25T22:30:00Z", "2026-10-25"},
		{"Pacific/Kiritimati", "2026-01-01T10:00:00Z", "2026-01-02"},
		{"Pacific/Pago_Pago", "2026-01-01T10:30:00Z", "2025-12-31"},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		p, err := js.CompileDurable("program", "await tools.a(); return program.today()", false)
		if err != nil {
			t.Fatal(err)
		}
		parent := &durabletest.Parent{Journal: []js.Event{{Step: 1, NowMS: now.UnixMilli()}}}
		began := &js.Durable{ID: "p-1", NowMS: now.Add(-time.Hour).UnixMilli(), Zone: tt.zone}
		got, err := js.Run(t.Context(), &js.Task{Program: p, Args: []byte("null"), Host: parent, Durable: began})
		if err != nil || string(got) != `"`+tt.want+`"` {
			t.Errorf("%s in %q = %s, %v, want %s", tt.now, tt.zone, got, err, tt.want)
		}
	}
}

func TestSleep(t *testing.T) {
	t.Parallel()
	for given, ms := range map[string]int64{
		`0`: 0, `1500`: 1500, `0.4`: 1, `-10`: -10, `"500ms"`: 500, `"90s"`: 90_000, `"1.5h"`: 5_400_000, `"2h"`: 7_200_000, `" 1 d "`: 86_400_000,
		`"30d"`: 30 * 86_400_000, `"2026-09-21T14:13:30Z"`: 10_000, `"2026-09-21T16:13:30+02:00"`: 10_000,
		`new Date(1790000000000 + 70)`: 70, `"1970-01-01T00:00:00Z"`: -began, `"1950-01-01T00:00:00Z"`: -began,
	} {
		parent := gives(t, "\nreturn await program.sleep("+given+")", "null")
		want := js.Sleep{N: 1, UntilMS: began + ms, Line: 2}
		if len(parent.Sleeps) != 1 || parent.Sleeps[0] != want {
			t.Errorf("%s: sleeps = %v, want %v", given, parent.Sleeps, want)
		}
	}
	for given, text := range map[string]string{
		``: sleepForms, `NaN`: sleepForms, `{}`: sleepForms, `"soon"`: sleepForms, `"5 weeks"`: sleepForms, `"-5s"`: sleepForms, `""`: sleepForms,
		`"2026-09-21"`: sleepForms, `"2026-09-21T14:13:30"`: "with its zone", `null`: sleepForms, `true`: sleepForms, `10n`: sleepForms,
		`new Date(NaN)`: sleepForms, `[90]`: sleepForms, `Symbol()`: sleepForms,
		`Infinity`: "at most 30 days", `"31d"`: "at most 30 days", `"2099-01-01T00:00:00Z"`: "at most 30 days", `1e300`: "at most 30 days",
		`"` + strings.Repeat("9", 400) + `d"`: "program.sleep",
	} {
		refuses(t, &durabletest.Parent{}, "await program.sleep("+given+")", tool.ValidationError, text)
	}
}

const sleepForms = `a duration such as "90s", "2h" or "1d"`

func TestAsk(t *testing.T) {
	t.Parallel()
	answer := func(s js.Step) (json.RawMessage, *js.StepError) {
		if strings.Contains(string(s.Args), "properties\":{\"x") {
			return json.RawMessage(`{"x":1,"y":2}`), nil
		}
		return json.RawMessage(`{"answer":true}`), nil
	}
	for code, want := range map[string][2]string{
		`program.ask("Go?")`:                                      {`true`, `{"question":"Go?"}`},
		`program.ask("Go?", {type: "boolean"})`:                   {`true`, `{"question":"Go?","schema":{"type":"object","properties":{"answer":{"type":"boolean"}},"required":["answer"]}}`},
		`program.ask("Go?", {enum: ["a"]})`:                       {`true`, `{"question":"Go?","schema":{"type":"object","properties":{"answer":{"enum":["a"]}},"required":["answer"]}}`},
		`program.ask("?", {type: "object", properties: {x: {}}})`: {`{"x":1,"y":2}`, `{"question":"?","schema":{"type":"object","properties":{"x":{}}}}`},
	} {
		parent := &durabletest.Parent{Run: answer}
		got, err := play(t, parent, "return "+code, "null")
		if err != nil || got != want[0] || len(parent.Steps) != 1 || parent.Steps[0].Tool != "ask_user" || string(parent.Steps[0].Args) != want[1] {
			t.Errorf("%s = %s, %v; steps %+v", code, got, err, parent.Steps)
		}
	}
	for _, args := range []string{``, `""`, `"  "`, `1`, `{}`} {
		refuses(t, &durabletest.Parent{}, "await program.ask("+args+")", tool.ValidationError, "needs a question")
	}
	for _, schema := range []string{`1`, `"string"`, `[]`, `{}`, `() => 1`} {
		refuses(t, &durabletest.Parent{}, `await program.ask("a", `+schema+`)`, tool.ValidationError, "the schema of program.ask")
	}
}

// The name of a step follows the code through its awaits, and into that which it calls.
func TestStepNames(t *testing.T) {
	t.Parallel()
	parent := gives(t, `
		const calls = async tag => { await tools.a({tag}); await tools.b({tag}) }
		const [x] = await Promise.all([
			program.step("one", async () => { await calls("one"); await program.step("inner", () => calls("deep")); await calls("after"); return 5 }),
			program.step("two", async () => { await null; await calls("two").then(() => calls("then")) }),
			calls("none"),
		])
		await tools.a({tag: "none"})
		await Promise.all([
			program.step("x", async () => { await null; await null; await null }),
			(async () => { await null; await {then(done) { tools.a({tag: "none"}).then(done) }} })(), // called right after the step's code
		])
		try { await program.step("bad", () => { throw new Error("x") }) } catch (e) { await tools.a({tag: "none", x: e.message}) }
		await program.step("`+strings.Repeat("ü", 300)+`", () => program.step("more", () => tools.a({tag: "long"})))
		return x`, "5")
	want := map[string]string{
		"one": "one", "deep": "one / inner", "after": "one", "two": "two", "then": "two", "none": "", "long": strings.Repeat("ü", 199) + "…",
	}
	if len(parent.Steps) != 16 {
		t.Errorf("%d steps", len(parent.Steps))
	}
	for _, s := range parent.Steps {
		var args struct{ Tag string }
		if err := json.Unmarshal(s.Args, &args); err != nil || s.Name != want[args.Tag] {
			t.Errorf("the step of %s has the name %q, want %q, %v", args.Tag, s.Name, want[args.Tag], err)
		}
	}
	refuses(t, parent, `await program.step(() => 1)`, tool.ValidationError, "needs a name")
	refuses(t, parent, `await program.step("a")`, tool.ValidationError, "needs a function")
}

func TestLogOfAProgram(t *testing.T) {
	t.Parallel()
	parent := gives(t, `console.log("a", {b: 1}); console.error("e"); program.log("p", [1]); await tools.x(); program.log("last"); tools.y(); return 1`, "1")
	want := `[{info a {b: 1}} {error e} {info p [1]} {info last} {warn the program returned while calls of it, or sleeps, were not settled; await them}]`
	if got := fmt.Sprint(parent.Logs); got != want {
		t.Errorf("log = %s, want %s", got, want)
	}
	parent = gives(t, `for (let i = 0; i < 5000; i++) program.log(i); return 1`, "1")
	if n := len(parent.Logs); n != 1000 || !strings.Contains(parent.Logs[n-1].Message, "logs too much") {
		t.Errorf("%d lines", n)
	}
}

func TestErrorsOfSteps(t *testing.T) {
	t.Parallel()
	fails := func(s js.Step) (json.RawMessage, *js.StepError) {
		if s.Tool == "ok" {
			return nil, nil
		}
		return nil, &js.StepError{Type: s.Tool, CallID: fmt.Sprintf("P~%d", s.N), Message: "it is so"}
	}
	parent := &durabletest.Parent{Run: fails}
	got, err := play(t, parent, `
		try { await tools.not_found() } catch (e) { return [e instanceof Error, e.error_type, e.call_id, e.message, await tools.ok()] }`, "null")
	if err != nil || got != `[true,"not_found","P~1","it is so",null]` {
		t.Errorf("a caught error = %s, %v", got, err)
	}
	refuses(t, &durabletest.Parent{Run: fails}, "await tools.ok();\n  await tools.policy_denied({})", tool.PolicyDenied, "it is so (line 2, column 28)")
	refuses(t, &durabletest.Parent{Run: fails}, "await tools.internal({})", tool.ExecutionError, "it is so (line 1")
	refuses(t, &durabletest.Parent{Run: fails}, "await tools.invented({})", tool.ExecutionError, "it is so (line 1")
	refuses(t, &durabletest.Parent{}, "await 1;\n  throw new TypeError('mine')", tool.ExecutionError, "TypeError: mine (line 2, column 9)")
	refuses(t, &durabletest.Parent{}, "throw {error_type: 'policy_denied', message: 'mine'}", tool.ExecutionError, "mine")
	refuses(t, &durabletest.Parent{}, "await 1;\nawait new Promise(() => {})", tool.ExecutionError, "a promise that never settles")
	refuses(t, &durabletest.Parent{}, "return (await tools.x()) +", tool.ValidationError, "line 2, column 1: Unexpected token")
	refuses(t, &durabletest.Parent{}, "const a = 1;\n const a = 2", tool.ValidationError, "line 2, column 8: ")
	refuses(t, &durabletest.Parent{}, "return ]", tool.ValidationError, "line 1, column 8: ")
	refuses(t, &durabletest.Parent{}, "}); evil(); (async () => {", tool.ValidationError, "closes")
	for args, text := range map[string]string{
		`1`: "must be one object", `null`: "must be one object", `"a"`: "must be one object", `[1]`: "must be one object", `() => 1`: "no form in JSON",
		`{a: 1n}`: "cannot be encoded", `Symbol()`: "no form in JSON", `new Date(0)`: "must be one object", `{a: "\ud800"}`: "half of a surrogate pair",
		`{toJSON: () => 1}`: "must be one object", `{toJSON() { throw new Error("boom") }}`: "boom", `(() => { const a = {}; a.a = a; return a })()`: "cannot be encoded",
	} {
		refuses(t, &durabletest.Parent{}, "await tools.x("+args+")", tool.ValidationError, text)
	}
	refuses(t, &durabletest.Parent{}, "await tools['"+strings.Repeat("x", 500)+"']()", tool.ValidationError, "longer than that of any tool")
}

// What happens outside a program does not exist, and the error names the way inside.
func TestNothingElseReachesOut(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"setTimeout(() => 1)": "program.sleep", "setInterval(() => 1)": "program.sleep", "fetch('x')": "tools.NAME", "fs.read('x')": "tools.NAME",
		"utils.uuid()": "tools.NAME", "_env.KEY": "no environment", "require('fs')": "tools.NAME", "process.env": "no environment",
		"performance.now()": "program.now()", "Intl.NumberFormat()": "toFixed", "lib('x')": "tools.NAME", "_time()": "program.now()",
		"context.userId": "program.id", "args.x": "input", "confirm('x')": "program.ask", "structuredClone({})": "JSON.parse",
	} {
		refuses(t, &durabletest.Parent{}, "await 1; "+name, tool.ExecutionError, "is not defined; ")
		refuses(t, &durabletest.Parent{}, "await 1; "+name, tool.ExecutionError, text)
		gives(t, "return typeof "+strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("(.", r) })[0], `"undefined"`)
	}
	gives(t, `return [typeof SharedArrayBuffer, typeof Atomics, typeof WeakRef, typeof FinalizationRegistry, typeof Worker]`,
		`["undefined","undefined","undefined","undefined","undefined"]`)
	// All that is global is a part of the language, or listed here.
	gives(t, `return ["console", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "atob", "btoa", "crypto"].filter(n => typeof globalThis[n] === "undefined")`, `[]`)
}

// An outcome that the code cannot have is the fault of the journal, and ends the run.
func TestJournalOfAnother(t *testing.T) {
	t.Parallel()
	for name, journal := range map[string][]js.Event{
		"unknown":       {{Step: 2}},
		"twice":         {{Step: 1}, {Step: 1}},
		"unknown sleep": {{Step: 1}, {Sleep: 1}},
		"both":          {{Step: 1, Sleep: 1}},
		"neither":       {{}},
		"negative":      {{Step: -1}},
	} {
		parent := &durabletest.Parent{Journal: journal}
		refuses(t, parent, "try { await tools.a(); await tools.b() } catch { return 1 } finally { tools.c() }", tool.ExecutionError, "the journal does not belong")
		if parent.Ended || len(parent.Requests) != 1 {
			t.Errorf("%s: the run went on: %s", name, parent.Requests)
		}
	}
}

var errParked = errors.New("parked")

// An error in place of an answer ends the run, and none of the code runs again.
func TestEndOfATurn(t *testing.T) {
	t.Parallel()
	parent := &durabletest.Parent{
		Stop:  tool.Fail(tool.Cancelled, "the turn is over").Because(errParked),
		Until: func(q js.NextRequest) bool { return len(q.Steps) > 0 && q.Steps[0].N == 2 },
	}
	_, err := play(t, parent, `try { await tools.a(); await tools.b() } catch { await tools.c() } finally { await tools.d() }`, "null")
	if !errors.Is(err, errParked) || len(parent.Requests) != 2 || parent.Ended {
		t.Errorf("Run = %v after %d requests", err, len(parent.Requests))
	}
}

func TestDurableTool(t *testing.T) {
	t.Parallel()
	p, err := js.CompileDurable("mine", "const {sum} = await tools.add(args); return [sum, program.id, typeof input]", true)
	if err != nil {
		t.Fatal(err)
	}
	add := func(s js.Step) (json.RawMessage, *js.StepError) { return json.RawMessage(`{"sum":3}`), nil }
	task := &js.Task{Program: p, Args: []byte(`{"a":1,"b":2}`), Durable: &js.Durable{ID: "p", Tool: true}}
	if got, err := runs(t, &durabletest.Parent{Run: add}, task); err != nil || got != `[3,"p","undefined"]` {
		t.Errorf("Run = %s, %v", got, err)
	}
	task.Durable = &js.Durable{ID: "p"}
	if got, err := runs(t, &durabletest.Parent{}, task); err == nil {
		t.Errorf("a durable tool ran as a program: %s", got)
	}
}
