package people

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestProgramsOfAttackers: code that computes for ever, fills the memory, floods the queue or
// returns too much ends with a sentence, and does not disturb the program beside it.
func TestProgramsOfAttackers(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	runProgram(t, ann, "beside", "await program.sleep('2s'); return (await tools.calculate({expression: '6*7'})).result")
	attacks := map[string]struct{ code, kind, says string }{
		"recursion":     {"function f() { return f() + 1; }\nreturn f()", "execution_error", "line 1"},
		"memory":        {"const all = []; for (;;) all.push(new Array(1e5).fill(all.length))", "execution_error", "memory"},
		"long-string":   {"return 'x'.repeat(100e6)", "execution_error", "memory"},
		"long-strings":  {"let s = 'x'; for (;;) s += s", "execution_error", "memory"},
		"long-argument": {"await tools.debug.echo({value: 'x'.repeat(100e6)})", "execution_error", "memory"},
		"long-log":      {"for (let i = 0; i < 100; i++) program.log('x'.repeat(1e6)); return 1", "", ""},
		"flood":         {"for (let i = 0; i < 3000; i++) tools.debug.echo({value: i}); await program.sleep('1h')", "rate_limited", "2000 calls"},
		"loop":          {"for (let i = 0;; i++);", "timeout", "CPU"},
		"deadlock":      {"await tools.debug.echo({value: 1});\nawait new Promise(() => {})", "execution_error", "never settles"},
	}
	for id, attack := range attacks {
		runProgram(t, ann, id, attack.code)
	}
	for id, attack := range attacks {
		got := system.Settled(t, ann, "default", id)
		if got.ErrorType != attack.kind || !strings.Contains(got.Message, attack.says) {
			t.Errorf("%s: %s: %s, want %s with %q", id, got.ErrorType, got.Message, attack.kind, attack.says)
		}
	}
	system.WantResult(t, system.Settled(t, ann, "default", "beside"), "42")
}

// TestProgramsLeaveNothing: what a program changes in the objects of the language is gone when it runs
// again after a wait, and in the next program.
func TestProgramsLeaveNothing(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	const look = "const found = [({}).evil, [].evil, Array.prototype.map === undefined, typeof globalThis.evil, tools.evil];"
	runProgram(t, ann, "p1", "const before = ({}).evil ?? null; Object.prototype.evil = 1; Array.prototype.evil = 2; globalThis.evil = 3;\n"+
		"Promise.prototype.then = undefined; delete Array.prototype.map; JSON.stringify = () => '\"evil\"';\nreturn before")
	system.Settled(t, ann, "default", "p1")
	for _, id := range []string{"p2", "p3"} {
		runProgram(t, ann, id, look+" await program.sleep('10ms'); Object.prototype.evil = 1; return found.map(f => String(f)).join()")
		got := system.Settled(t, ann, "default", id)
		if !strings.Contains(string(got.Result), "undefined") && !strings.Contains(string(got.Result), ",,false,") || strings.ContainsAny(string(got.Result), "123") {
			t.Errorf("%s found %s (%s)", id, got.Result, got.Message)
		}
	}
}

// TestAnswerAfterTheEnd: an answer to a program that has ended, or was cancelled, is refused and
// changes nothing.
func TestAnswerAfterTheEnd(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	runProgram(t, ann, "p", "const a = program.ask('One?'); await tools.debug.sleep({ms: 300}); return 'over'")
	got := system.Settled(t, ann, "default", "p")
	system.WantResult(t, got, `"over"`)
	runProgram(t, ann, "q", "return await program.ask('Two?')")
	untilWaiting(t, ann, "q")
	ann.Ask(t, "default", "calls.cancel", map[string]string{"call_id": "q"}, "")
	var all []protocol.Consent
	system.Eventually(t, "both requests are listed", func() bool {
		all = system.Decode[struct{ Consents []protocol.Consent }](t, ann.Ask(t, "default", "consent.list", nil, "")).Consents
		return len(all) == 2
	})
	for _, c := range all {
		r := ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": c.ID}, `{"decision": "grant", "answer": {"answer": "late"}}`)
		if r.Status != 409 {
			t.Errorf("a late answer to %s is answered %d %s", c.ID, r.Status, r.Body)
		}
	}
	if again := system.Settled(t, ann, "default", "p"); string(again.Result) != `"over"` {
		t.Errorf("after a late answer the program is %+v", again)
	}
	if again := system.Settled(t, ann, "default", "q"); again.ErrorType != "cancelled" {
		t.Errorf("after a late answer the cancelled program is %+v", again)
	}
}

// TestToolsChangeUnderAProgram: a tool that vanishes, or takes other arguments, while a program waits
// fails its step as any call of it, with an error that the code can catch; steps before are not looked
// at again.
func TestToolsChangeUnderAProgram(t *testing.T) {
	t.Parallel()
	ann := annWith(t, func(c *config.Config) { c.Profile = string(policy.Auto) })
	create := func(verb, code, schema string) {
		t.Helper()
		e := system.Execute(t, ann, "default", fmt.Sprintf(`{"context": {"user": "ann"}, "calls": [{"tool": %q, "arguments": {"name": "triple",
			"description": "Triples a number.", "parameters": %q, "code": %q}}]}`, verb, schema, code)).Results[0]
		if e.Status != "success" {
			t.Fatalf("%s: %+v", verb, e)
		}
	}
	const number = `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`
	create("create_tool", "return args.n * 3", number)
	runProgram(t, ann, "p", `const one = await tools.triple({n: 1});
if (!await program.ask('Changed?', {type: 'boolean'})) return 0;
try { await tools.triple({n: 2}); } catch (e) { program.log(e.error_type); }
if (!await program.ask('Gone?', {type: 'boolean'})) return 0;
try { await tools.triple({n: 3}); return 'called'; } catch (e) { return one + ' ' + e.error_type; }`)
	answer := func() string {
		t.Helper()
		id := untilWaiting(t, ann, "p").WaitingFor[0].ConsentID
		if r := ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": id}, `{"decision": "grant", "answer": {"answer": true}}`); r.Status != 200 {
			t.Fatalf("answered %d %s", r.Status, r.Body)
		}
		return id
	}
	untilWaiting(t, ann, "p")
	create("update_custom_tool", "return args.m * 3", strings.ReplaceAll(number, `"n"`, `"m"`))
	id := answer()
	system.Eventually(t, "the second question", func() bool {
		p := untilWaiting(t, ann, "p")
		return p.WaitingFor[0].ConsentID != id
	})
	if p := untilWaiting(t, ann, "p"); len(p.Log) != 1 || p.Log[0].Message != "validation_error" {
		t.Errorf("the step of the changed tool is logged as %+v", p.Log)
	}
	e := system.Execute(t, ann, "default", `{"context": {"user": "ann"}, "calls": [{"tool": "delete_custom_tool", "arguments": {"name": "triple", "confirm": true}}]}`).Results[0]
	if e.Status != "success" {
		t.Fatalf("deleted: %+v", e)
	}
	answer()
	system.WantResult(t, system.Settled(t, ann, "default", "p"), `"3 tool_not_found"`)
}

// TestHiddenCode: the person who is asked about a program sees code that hides behind the direction of
// text, or behind ten thousand blank lines.
func TestHiddenCode(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "r.cedar")
	const asks = `@id("ask-first") forbid(principal, action == Action::"auto_approve", resource == Tool::"run_program");`
	if err := os.WriteFile(rules, []byte(asks), 0o600); err != nil {
		t.Fatal(err)
	}
	ann := annWith(t, func(c *config.Config) { c.Policy.Rules = []string{rules} })
	code := "return 1; // \u202e\u2066 harmless \u2069\u200b" + strings.Repeat("\\n", 10_000) + "await tools.delete_file({path: 'quokka'});"
	system.Execute(t, ann, "default",
		`{"context": {"user": "ann"}, "wait_ms": 0, "calls": [{"call_id": "p", "tool": "run_program", "arguments": {"code": "`+code+`"}}]}`)
	stepIs(t, ann, "p", protocol.StateAwaitingConsent)
	var all []protocol.Consent
	system.Eventually(t, "its request is listed", func() bool {
		all = system.Decode[struct{ Consents []protocol.Consent }](t, ann.Ask(t, "default", "consent.list", nil, "")).Consents
		return len(all) == 1
	})
	shown := all[0].Preview
	for _, r := range shown {
		if unicode.Is(unicode.Cf, r) || r != '\n' && unicode.IsControl(r) {
			t.Errorf("the person is shown %U in %.300q", r, shown)
			break
		}
	}
	if !strings.Contains(shown, "delete_file") || !strings.Contains(shown, "quokka") || strings.Count(shown, "\n") > 100 {
		t.Errorf("the person is shown %d lines: %.300q … %q", strings.Count(shown, "\n"), shown, shown[max(0, len(shown)-300):])
	}
}
