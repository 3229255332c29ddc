package js

import "testing"

func TestURLSearchParams(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"of a string": {
			`return [...new URLSearchParams("?a=1&b=x+y%20z&&c&=d&e=%zz%")]`, `[["a","1"],["b","x y z"],["c",""],["","d"],["e","%zz%"]]`,
		},
		"of a record": {`return new URLSearchParams({a: 1, "b c": "é&", d: null}) + ""`, `"a=1&b+c=%C3%A9%26&d=null"`},
		"of pairs":    {`return new URLSearchParams(new Map([["a", "1"], ["b", "2"]])).toString()`, `"a=1&b=2"`},
		"of another": {
			`const a = new URLSearchParams("x=1"); const b = new URLSearchParams(a); b.set("x", 2); return [a + "", b + ""]`, `["x=1","x=2"]`,
		},
		"of nothing": {
			`return [new URLSearchParams().size, new URLSearchParams("").toString(), new URLSearchParams(undefined) + ""]`, `[0,"",""]`,
		},
		"of wrong":    {`try { new URLSearchParams([["a"]]) } catch (e) { return e.name }`, `"TypeError"`},
		"without new": {`try { URLSearchParams("") } catch (e) { return e.name }`, `"TypeError"`},
		"get": {
			`const p = new URLSearchParams("a=1&a=2"); return [p.get("a"), p.getAll("a"), p.get("x"), p.getAll("x"), p.size]`,
			`["1",["1","2"],null,[],2]`,
		},
		"has": {
			`const p = new URLSearchParams("a=1&a=2"); return [p.has("a"), p.has("a", "2"), p.has("a", "3"), p.has("b"), p.has("a", undefined)]`,
			`[true,true,false,false,true]`,
		},
		"delete": {
			`const p = new URLSearchParams("a=1&a=2&b=3"); p.delete("a", "1"); const one = p + ""; p.delete("a"); return [one, p + ""]`,
			`["a=2&b=3","b=3"]`,
		},
		"set": {
			`const p = new URLSearchParams("a=1&b=2&a=3&a=4&c=5"); p.set("a", "x"); p.set("d", "y"); return p + ""`, `"a=x&b=2&c=5&d=y"`,
		},
		"sort": {
			`const p = new URLSearchParams("z=1&a=2&z=0&\ue000=1&😀=2"); p.sort(); return [...p.keys()].join()`, "\"a,z,z,😀,\ue000\"",
		},
		"iterators": {
			`const p = new URLSearchParams("a=1&b=2"); return [[...p.keys()], [...p.values()], [...p.entries()], typeof p.entries().next, Object.fromEntries(p)]`,
			`[["a","b"],["1","2"],[["a","1"],["b","2"]],"function",{"a":"1","b":"2"}]`,
		},
		"forEach": {
			`const p = new URLSearchParams("a=1&b=2"), seen = []; p.forEach(function (v, k, o) { seen.push(k + v + (o === p) + this.x) }, {x: 9}); return seen`,
			`["a1true9","b2true9"]`,
		},
		"forEach throw": {`try { new URLSearchParams("a=1").forEach(() => { throw 5 }) } catch (e) { return e }`, `5`},
		"forEach wrong": {`try { new URLSearchParams("a=1").forEach() } catch (e) { return e.name }`, `"TypeError"`},
		"forEach grows": {
			`const p = new URLSearchParams("a=1"); let n = 0; p.forEach(() => { n++; p.append("b", "2") }); return [n, p.size]`, `[1,2]`,
		},
		"escapes":      {`return new URLSearchParams({a: "*-._~!'() +/"}) + ""`, `"a=*-._%7E%21%27%28%29+%2B%2F"`},
		"broken UTF-8": {`return new URLSearchParams("a=%FF%E2%82").get("a")`, `"` + "\ufffd\ufffd" + `"`},
		"lone half":    {`return new URLSearchParams({a: "\ud800"}) + ""`, `"a=%EF%BF%BD"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			returns(t, function(t, tt.body), tt.want)
		})
	}
}
