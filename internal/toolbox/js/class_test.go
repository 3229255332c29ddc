package js

import "testing"

// TestClassesShowNoGo inspects everything that a script can read of the bridges: names,
// sources, stacks from inside them and from their errors.
func TestClassesShowNoGo(t *testing.T) {
	t.Parallel()
	task := web(t, mirror, `
		const seen = [];
		const look = (e) => seen.push(String(e), e.stack, ...Object.getOwnPropertyNames(e).map((k) => k + String(e[k])));
		const attempt = (f) => { try { f() } catch (e) { look(e) } };
		const values = [new URL("http://h/?a=1"), new URLSearchParams("a=1"), new Headers({a: "1"}), new TextEncoder(), new TextDecoder(), await fetch("SERVER"), fs, crypto, crypto.subtle, fetch, atob, btoa, URL, URL.canParse];
		const methods = ["toString", "toJSON", "append", "get", "getAll", "forEach", "entries", "encode", "decode", "text", "json", "clone", "readFile", "list", "digest", "randomUUID", "getRandomValues", "constructor"];
		for (const v of values) {
			seen.push(Object.getOwnPropertyNames(v).join(), Object.prototype.toString.call(v));
			for (const m of methods) {
				const f = v[m];
				if (typeof f !== "function") continue;
				seen.push(f.name, Function.prototype.toString.call(f), Object.getOwnPropertyNames(f).join());
				attempt(() => f.call(null));
				attempt(() => f.call(v, Symbol("x"), Symbol("y")));
				attempt(() => new f({toString() { throw new Error("inside") }}));
			}
		}
		values[1].forEach(() => look(new Error("callback")));
		attempt(() => values[0].href = "wrong");
		await fetch("http://169.254.169.254").catch(look);
		await fetch({toString() { look(new Error("in toString")); return "x" }}).catch(look);
		return seen.map(String).filter((s) => /github|goja|\.go|internal\/|func\(|0x|main\.|js\.|realm|runtime/.test(s))`)
	task.Files = true
	returns(t, task, `[]`)
}

func TestClassesSurviveAScriptThatReplacesThings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"globals":    {`URLSearchParams = null; Headers = 5; return [new URL("http://h/?a=1").searchParams.get("a"), (await fetch("SERVER")).headers.get("x-two")]`, `["1","a, b"]`},
		"JSON":       {`JSON = null; return (await (await fetch("SERVER")).json()).method`, `"GET"`},
		"Uint8Array": {`Uint8Array = undefined; try { new TextEncoder().encode("a") } catch (e) { return e instanceof Error }`, `true`},
		"array spread": {
			`Array.prototype[Symbol.iterator] = null; try { return new Headers().keys() } catch (e) { return e.name }`, `"TypeError"`,
		},
		"prototypes": {
			`Object.prototype.body = "x"; Object.prototype.method = "POST"; return (await (await fetch("SERVER")).json()).method`, `"GET"`,
		},
		"then": {`Object.prototype.then = (f) => f("mine"); return 1`, `1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			returns(t, web(t, mirror, tt.body), tt.want)
		})
	}
}

func TestClassesAsResults(t *testing.T) {
	t.Parallel()
	returns(t,
		web(t, mirror,
			`const r = await fetch("SERVER"); return {u: new URL("http://h"), h: r.headers, status: JSON.parse(JSON.stringify(r)).status}`),
		`{"u":"http://h/","h":{},"status":200}`)
	returns(t, web(t, mirror, `return (await fetch("SERVER")).text()`),
		`"{\"body\":\"\",\"method\":\"GET\",\"one\":\"\",\"type\":\"\",\"url\":\"/\"}\n"`)
}
