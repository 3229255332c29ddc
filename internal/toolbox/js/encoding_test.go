package js

import "testing"

func TestEncodings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"encode": {
			`const e = new TextEncoder(); return [e.encoding, [...e.encode("é€😀")], e.encode().length, e.encode(12).length, e.encode("a") instanceof Uint8Array]`,
			`["utf-8",[195,169,226,130,172,240,159,152,128],0,2,true]`,
		},
		"encode half": {`return [...new TextEncoder().encode("\ud83d!")]`, `[239,191,189,33]`},
		"decode":      {`return new TextDecoder().decode(new TextEncoder().encode("é€😀"))`, `"é€😀"`},
		"decode a buffer": {
			`return [new TextDecoder().decode(new Uint8Array([65, 66]).buffer), new TextDecoder().decode(new DataView(new Uint8Array([65, 66]).buffer, 1)), new TextDecoder().decode(), new TextDecoder().decode(new Uint16Array([0x4241]))]`,
			`["AB","B","","AB"]`,
		},
		"decode a part": {`return new TextDecoder().decode(new Uint8Array([65, 66, 67, 68]).subarray(1, 3))`, `"BC"`},
		"decode wrong":  {`try { new TextDecoder().decode("text") } catch (e) { return e.name }`, `"TypeError"`},
		"attributes": {
			`const d = new TextDecoder("UTF-16", {fatal: true, ignoreBOM: 1}); return [d.encoding, d.fatal, d.ignoreBOM]`, `["utf-16le",true,true]`,
		},
		"labels": {
			`return ["UTF8", " utf-16le ", "latin1", "ascii", "iso-8859-1"].map((l) => new TextDecoder(l).encoding)`,
			`["utf-8","utf-16le","windows-1252","windows-1252","windows-1252"]`,
		},
		"unknown label": {`try { new TextDecoder("klingon") } catch (e) { return e.name }`, `"RangeError"`},
		"BOM":           {`const b = new Uint8Array([239, 187, 191, 65]); return [new TextDecoder().decode(b).length, new TextDecoder("utf-8", {ignoreBOM: true}).decode(b).length]`, `[1,2]`},
		"UTF-16": {
			`return [new TextDecoder("utf-16le").decode(new Uint8Array([255, 254, 65, 0, 61, 216, 0, 222])), new TextDecoder("utf-16le").decode(new Uint8Array([61, 216, 65]))]`,
			"[\"A😀\",\"\ufffd\ufffd\"]",
		},
		"latin1":   {`return new TextDecoder("latin1").decode(new Uint8Array([233, 128]))`, `"é€"`},
		"replaced": {`return [[0xff], [0xe2, 0x82], [0xe2, 0x82, 65], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90]].map((b) => new TextDecoder().decode(new Uint8Array(b)).length)`, `[1,1,2,1,3,2,2]`},
		"fatal": {
			`return [["utf-8", [0xff]], ["utf-16le", [0]], ["utf-16le", [0, 0xd8]]].map(([l, b]) => { try { return new TextDecoder(l, {fatal: true}).decode(new Uint8Array(b)) } catch (e) { return e.name } })`,
			`["TypeError","TypeError","TypeError"]`,
		},
		"not fatal": {`return [new TextDecoder("utf-8", {fatal: true}).decode(new Uint8Array([0xef, 0xbf, 0xbd])).length, new TextDecoder("utf-16le", {fatal: true}).decode(new Uint8Array([0xfd, 0xff])).length]`, `[1,1]`},
		"stream":    {`try { new TextDecoder().decode(new Uint8Array(1), {stream: true}) } catch (e) { return e.name }`, `"TypeError"`},
		"without new": {
			`return [TextEncoder, TextDecoder].map((c) => { try { c() } catch (e) { return e.name } })`, `["TypeError","TypeError"]`,
		},

		"btoa":        {`return [btoa("hi"), btoa(""), btoa("\xff\x00"), btoa(12), btoa(null)]`, `["aGk=","","/wA=","MTI=","bnVsbA=="]`},
		"btoa beyond": {`try { btoa("€") } catch (e) { return [e.name, e instanceof Error] }`, `["InvalidCharacterError",true]`},
		"atob":        {`return [atob("aGk="), atob(" a Gk\n"), atob("/wA=").charCodeAt(0), atob(""), atob("aGl=")]`, `["hi","hi",255,"","hi"]`},
		"atob wrong": {
			`return ["a", "a=", "aGk==", "a-_b", "é", "=aGk", "aGk=a"].map((s) => { try { return atob(s) } catch (e) { return e.name } }).join()`,
			`"InvalidCharacterError,InvalidCharacterError,InvalidCharacterError,InvalidCharacterError,InvalidCharacterError,InvalidCharacterError,InvalidCharacterError"`,
		},
		"both": {
			`const all = Array.from({length: 256}, (_, i) => String.fromCharCode(i)).join(""); return atob(btoa(all)) === all`, `true`,
		},
		"too long": {`try { btoa("x".repeat(1e3).repeat(11e3)) } catch (e) { return e.name }`, `"RangeError"`},
		"throwing": {`return [atob, btoa].map((f) => { try { f({toString() { throw 3 }}) } catch (e) { return e } })`, `[3,3]`},
		"symbols":  {`return [atob, btoa].map((f) => { try { f(Symbol()) } catch (e) { return e.name } })`, `["TypeError","TypeError"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			returns(t, function(t, tt.body), tt.want)
		})
	}
}
