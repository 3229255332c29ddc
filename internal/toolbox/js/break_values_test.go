package js

import (
	"strings"
	"testing"
)

// The order of turns is that of the language.
func TestTheOrderOfTurns(t *testing.T) {
	t.Parallel()
	const around = `Promise.resolve().then(() => L(1)).then(() => L(2)).then(() => L(3)).then(() => L(4)); for (let i = 0; i < 6; i++) await 0`
	for body, want := range map[string]string{
		`const p = Promise.resolve(); p.then(() => L("a")).then(() => L("b")); p.then(() => L("c")).then(() => L("d")); await 1; await 1; await 1; L("e")`: "a c b d e",
		`new Promise(r => r(Promise.resolve(1))).then(() => L("n")); ` +
			around: "1 2 n 3 4",
		`(async () => Promise.resolve(1))().then(() => L("n")); ` +
			around: "1 2 n 3 4",
		`(async () => await Promise.resolve(1))().then(() => L("n")); ` +
			around: "1 n 2 3 4",
		`const t = {then(r) { L("then"); r(7) }}; Promise.resolve(t).then(v => L(v)); ` +
			around: "then 1 7 2 3 4",
		`Promise.reject(1).catch(() => L("c")).finally(() => L("f")).then(() => L("t")); for (let i = 0; i < 6; i++) await L(i)`:                        "0 c 1 f 2 3 4 t 5",
		`setTimeout(() => { L("t"); Promise.resolve().then(() => L("m")) }, 0); setTimeout(() => L("u"), 0); await new Promise(r => setTimeout(r, 20))`: "t m u",

		`setTimeout(() => L("b"), 10); setTimeout(() => L("a"), 5); setTimeout(() => L("c"), 10); await new Promise(r => setTimeout(r, 30))`: "a b c",

		`const t = {then(a, b) { b(1); a(2); throw 3 }}; try { await t } catch (e) { L(e) }`:      "1",
		`let r; const p = new Promise(x => r = x); r(p); try { await p } catch (e) { L(e.name) }`: "TypeError",
	} {
		source := `async function execute() { const out = [], L = x => { out.push(x) }; ` + body + `; return out.join(" ") }`
		returns(t, script(t, source), `"`+want+`"`)
	}
}

// An error shows the author's own line, whatever precedes the source.
func TestWhereErrorsAre(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"function execute() {\nconst a = `1\n2\n3`;\n throw new Error('x') }":                       "(t.js:5:8)",
		"function execute() {\r\nconst a = `1\r\n2\r\n3`;\r\n throw new Error('x') }":               "(t.js:5:8)",
		"function execute() {\r\r throw new Error('x') }":                                           "(t.js:3:8)",
		"async function execute() {\n await 1;\n throw new Error('x') }":                            "(t.js:3:8)",
		"function execute() {\n return eval(\"\\n\\nthrow new Error('x')\\n//# sourceURL=t.js\") }": "(t.js:2:13)",
	} {
		if _, err := within(t, script(t, source)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}
