package js

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// operator returns the task of an operator's file whose function has this body.
func operator(t *testing.T, body string) *Task {
	t.Helper()
	p, err := Compile("tool.js", "function execute(args) {\n"+body+"\n}")
	if err != nil {
		t.Fatal(err)
	}
	return &Task{Program: p, Function: "execute", Args: json.RawMessage(`{"n": 1000000000, "ten": 10}`), Host: quiet{}}
}

// TestBounds: an expression that would take gigabytes ends the call, not the worker.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`return "x".repeat(args.n).length`,
		`return "x"["repeat"](args.n).length`,
		`return "xy".repeat({valueOf: () => args.n}).length`,
		`return "x".padEnd(args.n).length`,
		`return "x".padStart(args.n, "yz").length`,
		`return String.prototype.repeat.call({toString: () => "abc"}, args.n).length`,
		`return new ArrayBuffer(args.n).byteLength`,
		`return new Uint8Array(args.n).length`,
		`return new Float64Array(args.n / 10).length`,
		`return new Uint8Array({length: args.n}).length`,
		`return Uint8Array.from({length: args.n}).length`,
		`return new (new Uint8Array(1).constructor)(args.n).length`,
		`return new (class extends Uint8Array {})(args.n).length`,
		`return Reflect.construct(Uint32Array, [args.n]).length`,
		`return new Array(args.n).fill(0).length`,
		`return Array(args.n).join("x").length`,
		`return Array(args.ten).join("x".repeat(1e7)).length`,
		`return Array.from({length: args.n}, () => 0).length`,
		`return Array.from({length: args.n}).length`,
		`return String(1n << BigInt(args.n)).length`,
		`return String(1n >> -BigInt(args.n)).length`,
		`return String(7n ** BigInt(args.n)).length`,
		`let n = 7n; n **= BigInt(args.n); return String(n).length`,
		`let n = 7n; n <<= 2n ** 70n; return String(n).length`,
		`let n = 3n; for (;;) n = n ** n`,
		`const {repeat} = "x"; return repeat.call("x", args.n).length`,
		`const {["rep" + "eat"]: f} = "x"; return f.call("x", args.n).length`,
		`return ("" + Array(args.n)).length`,
		`return [...Array(args.n)].length`,
		`return [...Array(1000000000)].length`,
		`return Math.max(...new Array(args.n))`,
		`return Math.max.apply(null, Array(args.n))`,
		`return eval("[...Array(1e9 + 1)]").length`,
		`const a = []; a.length = args.n; return String(a).length`,

		`const s = "x".repeat(1e6); return s.concat(...Array(100).fill(s)).length`,
		`const a = Array(1e6).fill(1); return [].concat(a, a, a, a, a).length`,
		`return "a".repeat(1e5).replaceAll("a", "b".repeat(1e5)).length`,
		`return "a".repeat(1e5).replace(/a/g, "b".repeat(1e5)).length`,
		"return 'a'.repeat(1e5).replace(/a/g, '$`').length",
		`return "x".repeat(6e7).split("").length`,
		`return "x".repeat(6e7).split(/(?:)/).length`,
		`const a = []; a.length = 4e9; return [...a].length`,
		`const a = []; a[4e9] = 1; return [...a].length`,
		`const a = []; a[1e8] = 1; return Math.max(...a)`,
		`const a = []; a["len" + "gth"] = 4e9; return Math.max(...a)`,
		`return Math.max.apply(null, {length: args.n})`,
		`return Math.max["app" + "ly"](null, {length: args.n})`,
		`return Reflect.apply(Math.max, null, {length: args.n})`,
		`return Reflect.construct(Array, {length: args.n})`,
		`return eval("'a'.repeat(1e5).replaceAll('a', 'b'.repeat(1e5))").length`,
		`const a = []; a.length = args.n; return eval("(a) => [...a]")(a).length`,

		// The four known scripts, by computed names …
		`return "x"["rep" + "eat"](args.n).length`,
		`const key = args.ten ? "pad" + "End" : ""; return "x"[key](args.n).length`,
		`for (const key in {repeat: 1}) return "x"[key](args.n).length`,
		"return 'x'[`repeat`](args.n).length",
		`return new globalThis["Array" + "Buffer"](args.n).byteLength`,
		`return new ((function () { return this })()["Float64" + "Array"])(args.n / 10).length`,
		`const one = globalThis["Big" + "Int"](1); return String(one << globalThis["Big" + "Int"](args.n)).length`,
		`return new (new TextEncoder().encode("a")["constr" + "uctor"])(args.n).length`,
		`return new (new Uint8Array(1)["buf" + "fer"]["constr" + "uctor"])(args.n).byteLength`,
		// … and by generated code.
		`return eval("'x'.repeat(1e9)").length`,
		`return (0, eval)("'x'.padEnd(1e9)").length`,
		`return eval("new ArrayBuffer(1e9)").byteLength`,
		`return String(eval("1n << 1000000000n")).length`,
		`return String(eval("7n") ** eval("1000000000n")).length`,
		`return new Function("n", "return 'x'.repeat(n)")(args.n).length`,
		`return Function("n", "return new Float64Array(n)")(args.n).length`,
		`return (() => 0).constructor("n", "return 1n << BigInt(n)")(args.n) + ""`,
		`return (async () => 0).constructor("n", "return 'x'.repeat(n)")(args.n)`,
		`return (function* () {}).constructor("n", "yield 'x'.repeat(n)")(args.n).next()`,
		`return Reflect.apply(String.prototype["rep" + "eat"], "x", [args.n]).length`,
		`return Object.getOwnPropertyDescriptors(String.prototype)["rep" + "eat"].value.call("x", args.n)`,
		`return Object.values(Object.getOwnPropertyDescriptors(String.prototype)).map((d) => d.value).find((f) => f && f.name === "rep" + "eat").call("x", args.n)`,
		`return Object.getPrototypeOf("x")["rep" + "eat"].call("x", args.n)`,
		`return new Array(args.n)["to" + "Sorted"]().length`,
	} {
		fails(t, operator(t, body), tool.ExecutionError, "would take more memory than one operation of a script may")
	}
}

// TestWithinBounds: within the limits, limited functions behave as before.
func TestWithinBounds(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`return "a-b-c".replace("-", "+") + "a-b-c".replaceAll("-", "$&$&") + "abc".replace(/[ac]/g, (m) => m + m) + "x".replace("x", undefined)`:          `"a+b-ca--b--caabccundefined"`,
		`return "ab".concat("c", 1, null) + [1].concat(2, [3]).length + "a,b".split(",").length + "ab".split("").length + "ab".split(/b/).length`:          `"abc1null3222"`,
		`return Math.max.apply(null, [1, 3]) + Math.min.apply(null, {length: 1, 0: 4}) + (function () { return arguments.length }).apply(null)`:            `7`,
		`const a = [1]; a[1] = 2; a.length = 3; return [...a, ...new Set([4]), ..."xy"].length + Math.max(...a.slice(0, 2)) + new Array(...[5, 6]).length`: `10`,

		`let re = /a/y; re.lastIndex = 1; return "baa".replace(re, "$$") + re.lastIndex`: `"b$a2"`,
		`return "ab".repeat(3)`:                                        `"ababab"`,
		`return "ab".repeat("2")`:                                      `"abab"`,
		`return "".repeat(1e9)`:                                        `""`,
		`return "7".padStart(3, "0") + "a".padEnd(3) + "|"`:            `"007a  |"`,
		`try { "x".repeat(-1) } catch (e) { return e.name }`:           `"RangeError"`,
		`try { "x".repeat(Symbol()) } catch (e) { return e.name }`:     `"TypeError"`,
		`try { "x".repeat.call(null, 1) } catch (e) { return e.name }`: `"TypeError"`,
		`return "x".repeat.name + "x".repeat(args.ten).length`:         `"repeat10"`,

		`const a = new Uint8Array([1, 2, 300]); return [...a, a instanceof Uint8Array, a.constructor === Uint8Array, a.slice(1).length, [] instanceof Uint8Array]`: `[1,2,44,true,true,2,false]`,
		`return new Uint8Array(new ArrayBuffer(8), 2, 3).length`:                                                                        `3`,
		`return new (class A extends Uint8Array { two() { return 2 } })(4).two()`:                                                       `2`,
		`class A extends Uint8Array {}; return [new A(1) instanceof A, new A(1) instanceof Uint8Array, new Uint8Array(1) instanceof A]`: `[true,true,false]`,

		`return Uint8Array.BYTES_PER_ELEMENT + Uint8Array.of(1, 2).length`:                                                        `3`,
		`try { Uint8Array(1) } catch (e) { return e.name }`:                                                                       `"TypeError"`,
		`return ArrayBuffer.isView(new Int16Array(2))`:                                                                            `true`,
		`return [Array(2 + 1).length, new Array("3").length, Array([1]).length, Array(...[1, 2]).length, Array(args.ten).length]`: `[3,1,1,2,10]`,

		`return new Array(3).fill(1)`:                                      `[1,1,1]`,
		`return [1, [2, 3]].join("-") + [1, 2] + [].join()`:                `"1-2,31,2"`,
		`return Array.from({length: 3}, (_, i) => i * 2)`:                  `[0,2,4]`,
		`return Array.from("abc").concat(Array.from(new Set([1])))`:        `["a","b","c",1]`,
		`return String(2n ** 100n)`:                                        `"1267650600228229401496703205376"`,
		`return String((-1n) ** (10n ** 20n))`:                             `"1"`,
		`return String(5n << 2n) + (8n >> 2n) + (5 << 2) + 2 ** 3`:         `"202208"`,
		`let a = 2n, b = 3; a **= 3n; b <<= 2; return String(a) + b`:       `"812"`,
		`const o = {n: 2n}; o.n **= 3n; return String(o.n)`:                `"8"`,
		`try { return 1n ** 1 } catch (e) { return e.name }`:               `"TypeError"`,
		`return eval("1 + 2") + (0, eval)("var four = 4; four") + eval(5)`: `12`,
		`try { eval("(") } catch (e) { return e.name }`:                    `"SyntaxError"`,

		`const add = new Function("a", "b", "return a + b"); return [add(1, 2), add.name, add.length, add instanceof Function, (() => 0) instanceof Function, Function().call()]`: `[3,"anonymous",2,true,true,null]`,

		`const f = () => 0; const k = "constr" + "uctor"; return [typeof f[k], f[k] === Object.getPrototypeOf(f)[k]]`: `["function",true]`,

		`const f = () => 0; const k = args.ten ? "constr" + "uctor" : ""; try { return f[k]("return 1")() } catch (e) { return e.name }`: `"EvalError"`,

		`const o = {a: 1, b: 2}; let s = 0; for (const k in o) s += o[k]; return s + "x"["rep" + "eat"](2)`: `"3xx"`,
		`return [3, 1, 2].toSorted().concat([1].with(0, 7), [1, 2].toReversed())`:                           `[1,2,3,7,2,1]`,
	} {
		got, err := Run(t.Context(), operator(t, body))
		if err != nil || string(got) != want {
			t.Errorf("%s = %s, %v, want %s", body, got, err, want)
		}
	}
}

// TestBoundsOfLibraries: functions that a shared library names are limited too.
func TestBoundsOfLibraries(t *testing.T) {
	t.Parallel()
	task := operator(t, `return lib("wide").make(args.n).length`)
	task.Lib = func(name string) (*Program, error) { return CompileLib(name, `exports.make = (n) => "x".repeat(n)`) }
	fails(t, task, tool.ExecutionError, "would take more memory")
}

// TestBoundsCostNothing: a program that names none of the functions gets no
// replacements.
func TestBoundsCostNothing(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]int{`return args.a.map((x) => x ** 2 << 1).length`: 0, `return "x".repeat(2) + "y".repeat(3)`: 1} {
		if got := operator(t, source).Program.bounded; len(got) != want {
			t.Errorf("%s has %q bounded, want %d", source, got, want)
		}
	}
}

func TestReach(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]reach{
		`let s = 0; for (let i = 0; i < args.a.length; i++) s += args.a[i] + args.a[i + 1] + args.a[args.a.length - 1]; return s`: shown,
		`const o = {}; o["a b"] = 1; return o.x`:                   shown,
		`const at = args.n > 1 ? 2 : 3; return args.a[at]`:         shown,
		`class A { two() { return this.b } } return new A().two()`: shown,
		`return args.a.map((x, i) => args.b[i])`:                   computed,
		`for (const k in args) return args[k]`:                     computed,
		`let i = 0; i = args.i; return args.a[i]`:                  computed,
		`let i = 0; i += args.i; return args.a[i]`:                 computed,
		`let i = 0; [i] = args.a; return args.a[i]`:                computed,
		`const j = args.j, i = j; return args.a[i]`:                computed,
		`return {[args.k]: 1}`:                                     computed,
		`return new Uint8Array(1)[args.k]`:                         anyhow,
		`const k = args.k; return [args[k], new TextEncoder()]`:    anyhow,
		`return function () { return this }()`:                     anyhow,
		`return globalThis`:                                        anyhow,
		`const {constructor} = ""; return 1`:                       anyhow,
		`return eval("1")`:                                         anyhow,
	} {
		if got := operator(t, source).Program.reach; got != want {
			t.Errorf("%s has reach %d, want %d", source, got, want)
		}
	}
}

// BenchmarkBounds measures a script that groups 500 rows, by what it may reach: the
// checks are installed once per call, and do not slow down property access.
func BenchmarkBounds(b *testing.B) {
	rows := make([]map[string]any, 500)
	for i := range rows {
		rows[i] = map[string]any{"kind": string(rune('a' + i%7)), "n": i}
	}
	args, err := json.Marshal(map[string]any{"rows": rows})
	if err != nil {
		b.Fatal(err)
	}
	for _, may := range []reach{shown, computed, anyhow} {
		b.Run([]string{"shown", "computed", "anyhow"}[may], func(b *testing.B) {
			p, err := Compile("tool.js", `function execute(args) {
	const sums = {};
	for (const row of args.rows) sums[row.kind] = (sums[row.kind] || 0) + row.n;
	return Object.keys(sums).sort().map((kind) => kind + ": " + sums[kind]).join("\n");
}`)
			if err != nil {
				b.Fatal(err)
			}
			p.reach = may
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(b.Context(), &Task{Program: p, Function: "execute", Args: args, Host: quiet{}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
