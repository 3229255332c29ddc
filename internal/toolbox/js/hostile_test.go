package js

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// Endless code is stopped by the deadline, wherever it runs.
func TestEndless(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`for (;;);`,
		`while (true) { try { for (;;); } catch {} finally { for (;;); } }`,
		`try { for (;;); } finally { return 1 }`,
		`const again = () => Promise.resolve().then(again); await again()`,
		`const again = async () => { await 1; again() }; again(); await new Promise(() => {})`,
		`for (;;) await null`,
		`return {toJSON() { for (;;); }}`,
		`return {get a() { for (;;); }}`,
		`return new Proxy({}, {ownKeys() { for (;;); }})`,
		`return new Proxy([], {get() { for (;;); }})`,
		`[1, 2, 3].sort(() => { for (;;); })`,
		`[3, 2, 1].sort(() => Math.random() - 0.5); for (;;) [1].map(x => x)`,
		`"a".replace(/a/, () => { for (;;); })`,
		`throw {get a() { for (;;); }}`,
		`throw Object.defineProperty(new Error("x"), "message", {get() { for (;;); }})`,
		`throw new (class extends Error { get name() { for (;;); } })("x")`,
		`console.log({get a() { for (;;); }})`,
		`console.log(new Proxy({}, {get() { for (;;); }}), {a: new Map([[1, 2]])}); for (;;);`,
		`return {get then() { for (;;); }}`,
		`return {then(f) { for (;;); }}`,
		`const o = {get constructor() { for (;;); }}; await Promise.resolve(Object.setPrototypeOf(Promise.resolve(), o))`,
		`class P extends Promise { static get [Symbol.species]() { for (;;); } }; P.resolve(1).then(1)`,
		`for (const x of {[Symbol.iterator]: () => ({next: () => ({})})});`,
		`for (const x of {[Symbol.iterator]: () => ({next: () => ({}), return() { for (;;); }})}) for (;;);`,
		`function* g() { for (;;) yield 1 } [...g()]`,
		`eval("for (;;);")`,
		`new Function("for (;;);")()`,
		`args.valueOf = () => { for (;;); }; +args`,
		`Promise.reject({get a() { for (;;); }}); return 1`,
		`JSON.parse("[1]", () => { for (;;); })`,
		`utils.callTool({get name() { for (;;); }}, {}); for (;;);`,
	} {
		task := function(t, body)
		e, ok := briefly(t, task).(*tool.Error)
		if !ok || e.Kind != tool.Timeout {
			t.Errorf("%s: %v", body, e)
		}
	}
}

func TestDeepRecursion(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`function execute() { return execute() }`,
		`async function execute() { return await execute() }`,
		`function execute() { try { execute() } catch { return 1 } finally { return 2 } }`,
		`function execute() { return [1].map(execute) }`,
		`function execute() { return {toJSON: execute} }; const f = () => JSON.stringify({toJSON: f}); execute = f`,
		`const execute = () => "" + {toString: execute}`,
		`const execute = () => new Proxy({}, {get: execute}).x`,
		`class A { constructor() { new A() } }; function execute() { new A() }`,
		`function execute() { return "a".replace(/a/, execute) }`,
	} {
		fails(t, script(t, source), tool.ExecutionError, "functions call each other too deeply")
	}
	late := function(t, `await utils.callTool("x", {}); const f = () => f(); f()`)
	late.Host = quiet{}
	fails(t, late, tool.ExecutionError, "functions call each other too deeply")
}

// A server that answers with a million brackets must not end the process.
func TestDeepJSON(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`JSON.parse("[".repeat(1e3).repeat(5e3))`:                           `"SyntaxError: the JSON nests too deeply"`,
		`JSON.parse('{"a":'.repeat(1e6))`:                                   `"SyntaxError: the JSON nests too deeply"`,
		`JSON.parse("[".repeat(10000) + "]".repeat(10000)).length`:          `1`,
		`JSON.parse(JSON.stringify("[".repeat(20000))).length`:              `20000`,
		`JSON.parse('["\\"[", ' + "[],".repeat(20000) + "1]").length`:       `20002`,
		`JSON.parse({toString: () => "[1]"})[0]`:                            `1`,
		`JSON.parse("[1]", (k, v) => k === "0" ? 2 : v)[0]`:                 `2`,
		`JSON.parse.name + JSON.parse.toString().includes("[native code]")`: `"parsetrue"`,
	} {
		returns(t, script(t, "function execute() { try { return "+source+" } catch (e) { return e.toString() } }"), want)
	}
}

// Changes of a call to its runtime are invisible to the next call.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	const source = `
		function execute(params) {
			const seen = [({}).polluted, [].polluted, JSON.stringify({a: 1}), typeof leaked, Promise.resolve.leaked, Math.max(1, 2), console.leaked, (() => 1).polluted, execute.count]
			Object.prototype.polluted = Array.prototype.polluted = Function.prototype.polluted = params.secret
			JSON.stringify = () => params.secret
			globalThis.leaked = Promise.resolve.leaked = params.secret
			Math.max = () => params.secret
			execute.count = 1
			try { console.leaked = params.secret; Object.setPrototypeOf(globalThis, null) } catch {}
			return seen
		}`
	task := script(t, source)
	for range 3 {
		task.Args, task.Env = []byte(`{"secret":"of this tenant"}`), map[string]string{"KEY": "k"}
		returns(t, task, `[null,null,"{\"a\":1}","undefined",null,2,null,null,null]`)
	}
	other := script(t, `function execute(p) { return [Object.keys(p._env), typeof _env.KEY, ({}).polluted] }`)
	returns(t, other, `[[],"undefined",null]`)
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	task := script(t, `let n = 0; async function execute(p) { for (let i = 0; i < 100; i++) { n++; await 1 }; return n }`)
	for range 20 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			returns(t, task, `100`)
		})
	}
}
