package js

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestResults(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`"text"`:                            `"text"`,
		`""`:                                `""`,
		`undefined`:                         `""`,
		`null`:                              `""`,
		`0`:                                 `0`,
		`false`:                             `false`,
		`NaN`:                               `null`,
		`{a: [1, "x", null], b: undefined}`: `{"a":[1,"x",null]}`,
		`"é\u2028"`:                         "\"é\u2028\"",
		`new Date(0)`:                       `"1970-01-01T00:00:00.000Z"`,
		`new Map([[1, 2]])`:                 `{}`,
		`{toJSON() { return undefined }}`:   `""`,
		`Promise.resolve(7)`:                `7`,
		`Promise.resolve(null)`:             `""`,
		`{then(f) { f("thenable") }}`:       `"thenable"`,
		`new (class extends Promise {})(f => f(1))`: `1`,
		`({a: 1}).a`: `1`,
	} {
		returns(t, script(t, "function execute() { return "+source+" }"), want)
		returns(t, function(t, "return "+source), want)
	}
}

func TestUnencodableResults(t *testing.T) {
	t.Parallel()
	for source, says := range map[string]string{
		`() => 1`:        "a function",
		`class A {}`:     "a function",
		`Symbol("x")`:    "a symbol",
		`10n`:            "BigInt",
		`{a: [{b: 1n}]}`: "BigInt",
		`(() => { const a = {}; a.a = a; return a })()`:                                "circular",
		`{toJSON() { throw new Error("no") }}`:                                         "cannot be encoded as JSON: Error: no (t.js:1:",
		`{get a() { throw "thrown" }}`:                                                 "thrown",
		`(() => { let a = []; for (let i = 0; i <= 10000; i++) a = [a]; return a })()`: "nests too deeply",
	} {
		fails(t, script(t, "function execute() { return "+source+" }"), tool.ExecutionError, says)
	}
}

func TestMaxOutput(t *testing.T) {
	t.Parallel()
	task := script(t, `function execute() { return "x".repeat(98) }`)
	task.MaxOutput = 100
	if got, err := within(t, task); err != nil || len(got) != 100 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	task.MaxOutput = 99
	fails(t, task, tool.ExecutionError, "the result has 100 bytes, at most 99 are allowed")
}

// Changes of a script to the tools of its runtime do not affect the host.
func TestPatchedJSON(t *testing.T) {
	t.Parallel()
	task := script(t, `JSON.stringify = () => "forged"; JSON.parse = () => ({forged: true});
		Object.freeze = x => ({}); Object.prototype.toJSON = undefined;
		function execute(params) { return {params, env: params._env.KEY} }`)
	task.Args, task.Env = []byte(`{"a":1}`), map[string]string{"KEY": "v"}
	returns(t, task, `{"params":{"a":1},"env":"v"}`)
}

func TestEnv(t *testing.T) {
	t.Setenv("JS_TEST_SECRET", "of the process")
	task := script(t, `function execute(params) {
		const before = params._env.KEY
		try { params._env.KEY = "changed"; params._env.NEW = 1; delete _env.KEY; params._env = {} } catch {}
		return [before, params._env.KEY, _env.KEY, _env === params._env, Object.isFrozen(_env), typeof _env.NEW,
			typeof _env.JS_TEST_SECRET, JSON.stringify(params), Object.keys(params)]
	}`)
	task.Args, task.Env = []byte(`{"a":1}`), map[string]string{"KEY": "value"}
	returns(t, task, `["value","value","value",true,true,"undefined","undefined","{\"a\":1}",["a"]]`)
	if task.Env["KEY"] != "value" {
		t.Fatal("the script changed the operator's values")
	}
	returns(t, script(t, `function execute(params) { return typeof params._env.KEY }`), `"undefined"`)
	returns(t, function(t, `return typeof _env + typeof args._env`), `"undefinedundefined"`)
}

func TestContext(t *testing.T) {
	t.Parallel()
	task := function(t, `return [context, args, typeof utils]`)
	task.Args, task.Context = []byte(`{"a":1}`), Context{"name", "call", "conv", "user"}
	returns(t, task, `[{"toolName":"name","callId":"call","conversationId":"conv","userId":"user"},{"a":1},"object"]`)
}

func TestWhichGlobalsExist(t *testing.T) {
	t.Parallel()
	const source = `["fetch", "fs", "setTimeout", "clearTimeout", "lib", "_time", "require", "process", "module", "exports", "global", "setInterval", "queueMicrotask"]
		.map(name => typeof globalThis[name]).join()`
	plain, granted := script(t, "function execute() { return "+source+" }"), script(t, "function execute() { return "+source+" }")
	granted.Network, granted.Files = true, true
	granted.Lib = func(string) (*Program, error) { return nil, errors.New("none") }
	returns(t, plain,
		`"undefined,undefined,function,function,undefined,function,undefined,undefined,undefined,undefined,undefined,undefined,undefined"`)
	body := function(t, "return "+source)
	returns(t, body,
		`"undefined,undefined,undefined,undefined,undefined,function,undefined,undefined,undefined,undefined,undefined,undefined,undefined"`)
	returns(t, granted,
		`"function,object,function,function,function,function,undefined,undefined,undefined,undefined,undefined,undefined,undefined"`)
}

// A script may use the name of a bridge for something else.
func TestBridgesCanBeHidden(t *testing.T) {
	t.Parallel()
	returns(t, script(t, `const URL = 1; let crypto = 2; var atob = 3; function btoa() {}; console = 4; _time = 5
		function execute() { return [URL, crypto, atob, typeof btoa, console, _time] }`), `[1,2,3,"function",4,5]`)
}

func TestEntry(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`function execute(p) { return 1 }`:                `1`,
		`async function execute(p) { return 1 }`:          `1`,
		`const execute = p => 1`:                          `1`,
		`let execute = async () => 1`:                     `1`,
		`var execute = function () { return 1 }`:          `1`,
		`const {a: execute} = {a: () => 1}`:               `1`,
		`"use strict"; const [execute] = [async () => 1]`: `1`,
	} {
		returns(t, script(t, source), want)
	}
	for source, says := range map[string]string{
		`function other() {}`:        `t.js defines no function "execute"`,
		`const execute = 1`:          "execute in t.js is not a function",
		`throw new Error("at load")`: `Error: at load (t.js:1:`,
	} {
		if source[0] == 't' {
			source += "; function execute() {}"
		}
		fails(t, script(t, source), tool.ExecutionError, says)
	}
	task := script(t, `function execute() {}`)
	for _, name := range []string{"", "execute()", "this", "a;b", "constructor", "__proto__"} {
		task.Function = name
		fails(t, task, tool.ExecutionError, "defines no function")
	}
}

func TestArgumentsMustBeAnObject(t *testing.T) {
	t.Parallel()
	for _, args := range []string{``, `1`, `null`, `{`, `"x"`} {
		task := script(t, `function execute() { return 1 }`)
		task.Args = []byte(args)
		if got, err := within(t, task); err == nil {
			t.Errorf("%q was taken: %s", args, got)
		}
	}
	task := script(t, `function execute(p) { return [p.x, Object.getPrototypeOf(p) === Object.prototype, ({}).polluted] }`)
	task.Args = []byte(`{"__proto__": {"polluted": 1}, "x": 1}`)
	returns(t, task, `[1,true,null]`)
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	reason := errors.New("the user gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	task := function(t, `await utils.callTool("x", {}); return 1`)
	host := task.Host.(*recorder)
	host.ops = map[Op]func(context.Context, json.RawMessage) (json.RawMessage, error){
		OpCall: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			cancel(reason)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}
	got, err := Run(ctx, task)
	isFailure(t, string(got), checked(t, err), tool.Cancelled, "cancelled")
	if !errors.Is(err, reason) {
		t.Fatalf("the cause is lost: %v", err)
	}
	got, err = Run(ctx, task)
	isFailure(t, string(got), checked(t, err), tool.Cancelled, "cancelled")

	for range 20 {
		got, err = Run(ctx, script(t, `function execute() { return "ran" }`))
		isFailure(t, string(got), checked(t, err), tool.Cancelled, "cancelled")
	}

	late, cancelLate := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancelLate()
	got, err = Run(late, task)
	isFailure(t, string(got), checked(t, err), tool.Timeout, "timed out")
}
