package js

import (
	"runtime/debug"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestNativeRecursion: no chain of objects overflows the stack of Go, which would end the
// process. The stack is small here, so that a mistake ends the test and takes no gigabyte.
func TestNativeRecursion(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(128 << 20))
	const n = "const N = 50000; "
	for _, body := range []string{
		`function* g() { const me = yield; yield* me }; const i = g(); i.next(); i.next(i); return i.next()`,
		`function* d(x) { yield* x }; let i = [1][Symbol.iterator](); for (let k = 0; k < N; k++) i = d(i); return i.next()`,
		`function* d(x) { yield* x }; let i = [1][Symbol.iterator](); for (let k = 0; k < N; k++) i = d(i); return [...i]`,
		`const i = {next() { return j.next() }, [Symbol.iterator]() { return this }}; const j = (function* () { yield* i })(); return j.next()`,
		`const a = []; a[0] = a; return a.flat(Infinity)`,
		`let a = []; for (let k = 0; k < N; k++) a = [a]; return a.flat(Infinity)`,
		`let a = []; for (let k = 0; k < N; k++) a = [a]; return a["fl" + "at"](1e9)`,
		`let a = []; for (let k = 0; k < N; k++) a = [a]; return a.toLocaleString()`,
		`const a = new Proxy([], {get: (t, k, r) => k === "length" ? 1 : r}); return Array.prototype.flat.call(a, Infinity)`,
		`let p = {}; for (let k = 0; k < N; k++) p = new Proxy(p, {}); return p.x`,
		`let p = {}; for (let k = 0; k < N; k++) p = new Proxy({}, p); return p.x`,
		`let p = () => 1; for (let k = 0; k < N; k++) p = Proxy.revocable(p, {}).proxy; return p()`,
		`const P = (() => {}).constructor("return Proxy")(); let p = {}; for (let k = 0; k < N; k++) p = new P(p, {}); return p.x`,
		`const p = {}, q = new Proxy(p, {}); Object.setPrototypeOf(p, q); return p.x`,
		`const p = {}, q = new Proxy(p, {}); Reflect.setPrototypeOf(p, q); return p.x`,
		`const p = {}, q = new Proxy(p, {}); p.__proto__ = q; return q.x`,
		`let o = {}; for (let k = 0; k < N; k++) o = Object.create(o); return o.x = 1`,
		`let f = Reflect.apply; for (let k = 0; k < N; k++) f = Reflect.apply.bind(null, f, null, []); return f()`,
		`let f = () => 1; for (let k = 0; k < N; k++) f = f.bind(); return f()`,
	} {
		_, err := within(t, script(t, n+"function execute() { "+body+" }"))
		if e := tool.AsError(err); e == nil || e.Kind != tool.ExecutionError {
			t.Errorf("%s = %v, want an execution_error", body, err)
		}
	}
}

// TestChainsWork: what counts chains changes nothing of those that are short.
func TestChainsWork(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`[...(function* () { yield 1; yield* [2, 3]; return 4 })()]`:                                                            `[1,2,3]`,
		`(() => { const g = (function* () { try { yield 1 } finally { yield 2 } })(); g.next(); return g.return(3).value })()`:  `2`,
		`(() => { const g = (function* () { try { yield 1 } catch (e) { yield e } })(); g.next(); return g.throw(5).value })()`: `5`,

		`[1, [2, [3, [4]]]].flat(Infinity)`: `[1,2,3,4]`,
		`[1, [2, [3]]].flat()`:              `[1,2,[3]]`,
		`new Proxy({}, {get: (t, k) => k}).abc + (new Proxy([], {}) instanceof Array)`: `"abctrue"`,
		`Proxy.name + typeof Proxy + Proxy.length`:                                     `"Proxyfunction2"`,

		`(() => { const o = {}; o.__proto__ = {x: 7}; return [o.x, o.__proto__.x, Object.keys(o).length, {}.__proto__ === Object.prototype] })()`: `[7,7,0,true]`,

		`Object.create({x: 1}, {y: {value: 2}}).y + Object.setPrototypeOf({}, {z: 3}).z`:                             `5`,
		`(function () { return this.a + [...arguments].join() }).bind({a: 1}, 2)(3)`:                                 `"12,3"`,
		`[1234.5, [6]].toLocaleString().length > 0`:                                                                  `true`,
		`(() => { try { const o = {}; Object.setPrototypeOf(o, Object.create(o)) } catch (e) { return e.name } })()`: `"TypeError"`,
	} {
		returns(t, script(t, "function execute() { return "+source+" }"), want)
	}
}
