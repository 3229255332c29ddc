package js

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestThrown(t *testing.T) {
	t.Parallel()
	for throw, says := range map[string]string{
		`throw new Error("boom")`:                                   "Error: boom (t.js:2:9)",
		`throw new TypeError("x")`:                                  "TypeError: x (t.js:2:9)",
		`throw new (class Odd extends Error { name = "Odd" })("x")`: "Odd: x (t.js:2:9)",
		`null.x`:                              "TypeError: Cannot read property 'x' of undefined (t.js:2:8)",
		`missing()`:                           "ReferenceError: missing is not defined (t.js:2:10)",
		`throw "text"`:                        "text (t.js:2:3)",
		`throw 7`:                             "7 (t.js:2:3)",
		`throw null`:                          "null",
		`throw undefined`:                     "undefined",
		`throw {code: 5, why: ["a"]}`:         `{code: 5, why: ["a"]}`,
		`throw Symbol("s")`:                   "Symbol(s)",
		`throw 5n`:                            "5n",
		`throw () => 1`:                       "[Function",
		`throw new Proxy(new Error("x"), {})`: "[Proxy]",
		`throw new Proxy({}, {get() { throw new Error("trap") }, ownKeys() { throw 1 }, getPrototypeOf() { for (;;); }})`: "[Proxy]",
		`throw Object.defineProperty(new Error("x"), "message", {get() { throw new Error("deep") }})`:                     "Error (t.js:2:",
		`throw Object.defineProperty(new Error("x"), "name", {value: {toString() { throw 1 }}})`:                          "Error: x",
		`throw Object.defineProperty(new Error("x"), "stack", {get() { throw 1 }})`:                                       "Error: x (t.js:2:",
		`throw {get a() { throw 1 }}`:                  "{a: [unreadable]",
		`throw new AggregateError([1], "all")`:         "AggregateError: all",
		`Error = null; throw new TypeError("after")`:   "TypeError: after",
		`[1].map(() => { throw new Error("within") })`: "Error: within (t.js:2:",
		`JSON.parse("{")`:                              "SyntaxError: Unexpected end of JSON input",
		`eval("throw new Error('e')")`:                 "Error: e (t.js:2:",
		`new Function("throw new Error('f')")()`:       "Error: f (t.js:2:",
		`eval("(")`:                                    "SyntaxError",
	} {
		source := "function execute() {\n  " + throw + "\n}"
		fails(t, script(t, source), tool.ExecutionError, says)
		fails(t, script(t, "async "+source), tool.ExecutionError, strings.TrimSuffix(says, " (t.js:2:3)"))
	}
}

// Bodies begin on their own first line, whatever precedes them.
func TestPositionsInBodies(t *testing.T) {
	t.Parallel()
	fails(t, function(t, `throw new Error("a")`), tool.ExecutionError, "Error: a (body:1:7)")
	fails(t, function(t, "\n  throw new Error('b')"), tool.ExecutionError, "Error: b (body:2:9)")
	returns(t, function(t, "\ntry { null.x } catch (e) { return e.stack.includes('body:2:') }"), `true`)
}

func TestLongThrownValuesAreCut(t *testing.T) {
	t.Parallel()
	for _, throw := range []string{`"é".repeat(1e6)`, `new Error("é".repeat(1e6))`, `Array(1e5).fill("é")`, `{a: "é".repeat(1e6)}`} {
		_, err := within(t, script(t, "function execute() { throw "+throw+" }"))
		e, _ := errors.AsType[*tool.Error](err)
		if e == nil || len(e.Msg) > maxThrown+40 || !strings.Contains(e.Msg, "…") {
			t.Errorf("%s: %.100s", throw, err)
		}
	}
}

func calls(f func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)) *recorder {
	return &recorder{ops: map[Op]func(context.Context, json.RawMessage) (json.RawMessage, error){OpCall: f}}
}

// A failure of the host keeps its kind if the script does not catch it; errors that a
// script creates itself get no kind.
func TestKindsOfFailures(t *testing.T) {
	t.Parallel()
	for _, kind := range tool.Kinds() {
		host := calls(func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return nil, tool.Fail(kind, "the guard refused it")
		})
		want := kind
		if kind == tool.Internal || kind == tool.Cancelled || kind == tool.Overloaded {
			want = tool.ExecutionError
		}
		for _, body := range []string{
			`return await utils.callTool("x", {})`,
			`try { await utils.callTool("x", {}) } catch (e) { e.message = "forged"; throw e }`,
			`try { await utils.callTool("x", {}) } finally { 1 }`,
			`return Promise.all([utils.callTool("x", {})])`,
		} {
			task := function(t, body)
			task.Host = host
			fails(t, task, want, "the guard refused it")
		}
		for _, body := range []string{
			`const e = new Error("mine"); e.error_type = "` + string(kind) + `"; throw e`,
			`try { await utils.callTool("x", {}) } catch (e) { throw Object.assign(new Error(e.message), e) }`,
			`try { await utils.callTool("x", {}) } catch (e) { throw Object.create(e) }`,
			`try { await utils.callTool("x", {}) } catch (e) { throw new Proxy(e, {}) }`,
			`throw {error_type: "` + string(kind) + `"}`,
		} {
			task := function(t, body)
			task.Host = host
			fails(t, task, tool.ExecutionError, "")
		}
		task := function(t,
			`try { await utils.callTool("x", {}) } catch (e) { return [e instanceof Error, e.name, e.message, e.error_type, Object.keys(e)] }`)
		task.Host = host
		returns(t, task, `[true,"Error","the guard refused it","`+string(kind)+`",["error_type"]]`)
	}
}

func TestHostThatPanics(t *testing.T) {
	t.Parallel()
	task := function(t, `await utils.callTool("x", {})`)
	task.Host = calls(func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("github.com/secret.go:1") })
	fails(t, task, tool.ExecutionError, "call failed")
	task = function(t, `return utils.listTools()`)
	task.Host = &recorder{ops: map[Op]func(context.Context, json.RawMessage) (json.RawMessage, error){
		OpTools: func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("github.com/secret.go:1") },
	}}
	fails(t, task, tool.ExecutionError, "tools failed")
}

// A failure uses the runtime's own functions, whatever the script replaced them with.
func TestFailureInAPatchedRuntime(t *testing.T) {
	t.Parallel()
	task := function(t, `
		Object.defineProperty(Error.prototype, "error_type", {set() { throw 1 }, get() { throw 2 }})
		Object.setPrototypeOf(TypeError.prototype, null)
		Error = TypeError = Object = undefined
		await utils.callTool("x", {})`)
	task.Host = calls(func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, tool.Fail(tool.NotConfigured, "set it")
	})
	fails(t, task, tool.NotConfigured, "set it")
}
