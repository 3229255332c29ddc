package sandbox_test

import "strings"

// hostile are scripts that never end by themselves, or use all of a resource. A marked
// script may end with any outcome, as long as it ends.
var hostile = []struct {
	name, code string
	any        bool
}{
	{"a loop", "while (true);", false},
	{"a loop that catches", "for (;;) { try { for (;;) throw 1 } catch {} finally { continue } }", false},
	{"labels", "a: for (;;) { b: for (;;) { continue a } }", false},
	{"microtasks", "const f = () => Promise.resolve().then(f); await f()", false},
	{
		"microtasks that multiply",
		"const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); await new Promise(() => {})", false,
	},
	{"async recursion", "async function f() { await null; return f() } return f()", false},
	{"a thenable of itself", "const t = {then(resolve) { resolve(t) }}; return t", false},
	{"a promise that never settles", "await new Promise(() => {})", false},
	{"a promise of no one", "return Promise.race([])", false},

	{"a regular expression", "return /^(a+)+$/.test('a'.repeat(40) + 'b')", true},
	{"one with a backreference", "for (;;) /^(a*)*\\1b$/.test('a'.repeat(5000))", false},
	{"one with a lookahead", "for (;;) /(?=(a+)+b)c/.test('a'.repeat(5000))", false},
	{"many of them", "for (let i = 0; ; i++) new RegExp('(x+x+)+' + i).test('x'.repeat(30))", false},
	{"replace without end", "let s = 'a'; for (;;) s = s.replace(/a/g, 'aa')", false},

	{"repeat", "return 'x'.repeat(2 ** 30).length", true},
	{"repeat in a loop", "const a = []; for (;;) a.push('xy'.repeat(1e6))", false},
	{"padEnd", "return 'x'.padEnd(2 ** 30, 'yz').length", true},
	{"a string that doubles", "let s = 'xü'; for (;;) s += s", false},
	{"split", "return 'x'.repeat(2 ** 24).split('').length", true},
	{"fill", "return new Array(1e9).fill(0).length", true},
	{"a typed array", "return new Uint8Array(2 ** 31).fill(1).length", true},
	{"Array.from", "return Array.from({length: 1e9}, () => ({})).length", false},
	{"a sparse join", "const a = []; a[2 ** 32 - 2] = 1; return a.join('xxxx').length", true},
	{"a sparse sort", "const a = []; a.length = 2 ** 32 - 1; a[5] = 1; return a.sort().length", true},
	{"concat of sparse ones", "let a = []; a.length = 2 ** 31; for (;;) a = a.concat([1], a.slice(0, 2 ** 20))", true},
	{"exponential JSON", "let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; return JSON.stringify(a).length", false},
	{"an exponential result", "let a = ['x']; for (let i = 0; i < 40; i++) a = {a, b: a}; return a", false},
	{"a power of a BigInt", "return String(7n ** (10n ** 9n)).length", false},
	{"a BigInt that squares itself", "let n = 3n; for (;;) n *= n", false},
	{"a BigInt shifted far", "return (1n << (2n ** 40n)).toString().length", false},

	{"recursion", "const f = () => f() + 1; return f()", false},
	{"recursion through a getter", "const o = {get x() { return this.x }}; return o.x", false},
	{"recursion through toString", "const o = {toString() { return o + '' }}; return o + ''", false},
	{"recursion through JSON", "let o = {}; for (let i = 0; i < 1e5; i++) o = {o}; return o", true},
	{"deep brackets", "return " + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000), false},
	{"deep parentheses", "return " + strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000), true},
	{"deep operators", "return " + strings.Repeat("!", 500_000) + "1", true},
	{"deep blocks", strings.Repeat("{", 200_000) + strings.Repeat("}", 200_000), true},
	{"deep source in eval", "return (0, eval)('['.repeat(1e6))", true},
	{"deep source in Function", "return new Function('return ' + '('.repeat(3e5) + '1' + ')'.repeat(3e5))()", true},
	{"a deep regular expression", "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('')", true},

	{"a comparator that never ends", "return [3, 1, 2].sort(() => { for (;;); })", false},
	{"a comparator without order", "const a = Array.from({length: 1e5}, (_, i) => i); for (;;) a.sort(() => Math.random() - 0.5)", false},
	{"a getter that never ends", "return {get x() { for (;;); }}", false},
	{"toJSON that never ends", "return {toJSON() { for (;;); }}", false},
	{"a Proxy that never ends", "return new Proxy({}, {ownKeys() { for (;;); }, get() { for (;;); }})", false},
	{
		"a Proxy of Proxies",
		"const p = () => new Proxy({}, {get: (_, k) => k === 'then' ? undefined : p(), ownKeys: () => ['a'], getOwnPropertyDescriptor: " +
			"() => ({value: 1, enumerable: true, configurable: true})}); return p()",
		true,
	},
	{"an iterator that never ends", "return [...{[Symbol.iterator]() { return {next: () => ({value: 1, done: false})} }}]", false},
	{"a generator that never ends", "function* g() { for (;;) yield {} } return new Set(g()).size", false},

	{"an error that never ends", "throw {get message() { for (;;); }, get name() { for (;;); }, toString() { for (;;); }}", true},
	{"an error of a Proxy", "throw new Proxy(new Error('x'), {get() { for (;;); }, getPrototypeOf() { for (;;); }})", true},
	{"a huge error", "throw new Error('x'.repeat(2 ** 24))", false},
	{"a fast leak", "const a = []; for (;;) a.push(new Array(1e5).fill(1.5))", false},
	{"a slow leak", "const m = new Map(); for (let i = 0; ; i++) { m.set(i, {i}); for (let j = 0; j < 50; j++); }", false},
	{"a leak of closures", "let f = () => 0; for (;;) { const g = f; f = () => g }", false},
	{"a leak of promises", "const all = []; for (;;) all.push(new Promise(() => {}))", false},
	{"resolvers that throw", `class P extends Promise { constructor(f) { super((a, b) => f(() => { throw 1 }, () => { throw 2 })) } }
		P.resolve(1).then(() => 1); return new P(r => r(1)).then(() => 1)`, true},
	{
		"a Promise that is replaced",
		"Promise.prototype.then = function () { throw new Error('no') }; await utils.callTool('x', {}); return 1", true,
	},
	{
		"a constructor that lies",
		"Promise.prototype.constructor = {[Symbol.species]: class { constructor(f) { f(() => { throw 1 }, () => { throw 2 }) } }}; " +
			"return Promise.resolve(1).then(x => x)",
		true,
	},
}
