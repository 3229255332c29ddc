package js

import "testing"

func TestCrypto(t *testing.T) {
	t.Parallel()
	const hexOf = `const hex = (b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, "0")).join(""); const abc = new TextEncoder().encode("abc");`
	for name, tt := range map[string]struct{ body, want string }{
		"randomUUID": {`const a = crypto.randomUUID(); return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(a), a === crypto.randomUUID()]`, `[true,false]`},
		"random values": {
			`const a = new Uint8Array(64); const same = crypto.getRandomValues(a) === a; return [same, a.some((x) => x > 0)]`, `[true,true]`,
		},
		"random part": {
			`const a = new Uint32Array(40); crypto.getRandomValues(a.subarray(10, 30)); return [a.slice(0, 10).every((x) => x === 0), a.slice(10, 30).some((x) => x > 0), a.slice(30).every((x) => x === 0)]`,
			`[true,true,true]`,
		},
		"empty": {`return crypto.getRandomValues(new Uint8Array(0)).length`, `0`},
		"most":  {`return crypto.getRandomValues(new Uint8Array(65536)).length`, `65536`},
		"more":  {`try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { return e.name }`, `"QuotaExceededError"`},
		"wrong": {`return [new Float64Array(1), [1], {}, undefined, new ArrayBuffer(1), "a", new DataView(new ArrayBuffer(1))].map((v) => { try { crypto.getRandomValues(v) } catch (e) { return e.name } }).every((n) => n === "TypeMismatchError")`, `true`},
		"SHA-1": {hexOf + `return hex(await crypto.subtle.digest("sha-1", abc))`, `"a9993e364706816aba3e25717850c26c9cd0d89d"`},
		"SHA-256": {
			hexOf + `return hex(await crypto.subtle.digest("SHA-256", abc.buffer))`,
			`"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`,
		},
		"SHA-384": {hexOf + `return hex(await crypto.subtle.digest({name: "SHA-384"}, abc)).slice(0, 16)`, `"cb00753f45a35e8b"`},
		"SHA-512": {
			hexOf + `return hex(await crypto.subtle.digest("SHA-512", new DataView(abc.buffer))).slice(0, 16)`, `"ddaf35a193617aba"`,
		},
		"MD5":      {`try { await crypto.subtle.digest("MD5", new Uint8Array(1)) } catch (e) { return e.name }`, `"NotSupportedError"`},
		"text":     {`try { await crypto.subtle.digest("SHA-256", "abc") } catch (e) { return e.name }`, `"TypeError"`},
		"throwing": {`try { await crypto.subtle.digest({get name() { throw 4 }}, new Uint8Array(1)) } catch (e) { return e }`, `4`},
		"nothing else": {
			`return [typeof crypto.subtle.encrypt, Object.keys(crypto).join(), typeof crypto.constructor]`,
			`["undefined","randomUUID,getRandomValues,subtle","function"]`,
		},
		"cannot be moved": {`try { crypto.randomUUID = () => "mine" } catch (e) {} return crypto.randomUUID().length`, `36`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			returns(t, function(t, tt.body), tt.want)
		})
	}
}
