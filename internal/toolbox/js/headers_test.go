package js

import "testing"

func TestHeaders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"of a record": {`const h = new Headers({B: " 2 ", a: 1}); return [...h]`, `[["a","1"],["b","2"]]`},
		"of pairs":    {`return [...new Headers([["a", "1"], ["A", "2"]])]`, `[["a","1, 2"]]`},
		"of another": {
			`const a = new Headers({x: "1"}); const b = new Headers(a); b.set("X", "2"); return [a.get("x"), b.get("x")]`, `["1","2"]`,
		},
		"of nothing": {`return [[...new Headers()].length, [...new Headers(null)].length]`, `[0,0]`},
		"of wrong": {
			`return ["a", 1, [["a"]], [1], {"a b": "c"}, {a: "b\nc"}, {"": "x"}].map((v) => { try { new Headers(v); return 0 } catch (e) { return e.name } }).join()`,
			`"TypeError,TypeError,TypeError,TypeError,TypeError,TypeError,TypeError"`,
		},
		"methods": {
			`const h = new Headers(); h.append("A", "1"); h.append("a", "2"); h.set("B", "3"); h.delete("b"); return [h.get("a"), h.has("A"), h.has("b"), h.get("b")]`,
			`["1, 2",true,false,null]`,
		},
		"iterators": {
			`const h = new Headers({b: "2", a: "1"}); return [[...h.keys()], [...h.values()], [...h.entries()]]`,
			`[["a","b"],["1","2"],[["a","1"],["b","2"]]]`,
		},
		"forEach": {
			`const seen = []; new Headers({a: "1"}).forEach((v, k, h) => seen.push(k + v + (h instanceof Headers))); return seen`, `["a1true"]`,
		},
		"symbol value": {`try { new Headers({a: Symbol()}) } catch (e) { return e.name }`, `"TypeError"`},
		"plain call":   {`try { Headers() } catch (e) { return e.name }`, `"TypeError"`},
		"empty value":  {`return new Headers({a: ""}).get("a")`, `""`},
		"not patched":  {`Object.prototype.x = "polluted"; return [new Headers().get("x"), [...new Headers({a: "1"}).keys()]]`, `[null,["a"]]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			returns(t, function(t, tt.body), tt.want)
		})
	}
}
