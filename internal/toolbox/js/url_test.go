package js

import "testing"

func TestURL(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"parts": {
			`const u = new URL("https://me:pw@Example.com:8443/a b/c?x=1&y=é#top");
			return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash]`,
			`["https://me:pw@example.com:8443/a%20b/c?x=1&y=%C3%A9#top","https://example.com:8443","https:","me","pw","example.com:8443","example.com","8443","/a%20b/c","?x=1&y=%C3%A9","#top"]`,
		},
		"empty parts": {`const u = new URL("http://h"); return [u.port, u.search, u.hash, u.username, u.pathname]`, `["","","","","/"]`},
		"origins":     {`return ["file:///a", "mailto:a", "wss://h:443"].map((s) => new URL(s).origin)`, `["null","null","wss://h"]`},
		"base": {
			`return [new URL("../x", "http://h/a/b/c").href, new URL("y", new URL("http://h/z")).href, new URL("http://q/", undefined).href]`,
			`["http://h/a/x","http://h/y","http://q/"]`,
		},
		"canParse": {
			`return [URL.canParse("http://h"), URL.canParse("h"), URL.canParse("h", "http://b"), URL.canParse("h", "b")]`, `[true,false,true,false]`,
		},
		"strings": {
			`const u = new URL("http://h/a"); return [String(u), u.toString(), u.toJSON(), JSON.stringify({u}), ` + "`${u}`" + `]`,
			`["http://h/a","http://h/a","http://h/a","{\"u\":\"http://h/a\"}","http://h/a"]`,
		},
		"classes": {
			`const u = new URL("http://h"); return [u instanceof URL, u.searchParams instanceof URLSearchParams, ({}) instanceof URL, u.constructor === URL, URL.name]`,
			`[true,true,false,true,"URL"]`,
		},
		"without new": {`try { URL("http://h") } catch (e) { return e instanceof TypeError }`, `true`},
		"invalid":     {`try { new URL("nope") } catch (e) { return [e instanceof TypeError, e.message] }`, `[true,"Invalid URL: nope"]`},
		"no argument": {`try { new URL() } catch (e) { return e.name }`, `"TypeError"`},
		"symbol":      {`try { new URL(Symbol()) } catch (e) { return e.name }`, `"TypeError"`},
		"throwing":    {`try { new URL({toString() { throw 7 }}) } catch (e) { return e }`, `7`},
		"subclass": {
			`class U extends URL { get short() { return this.host } toString() { return "U:" + super.toString() } } const u = new U("http://h/"); return [u.short, String(u), u instanceof U, u instanceof URL]`,
			`["h","U:http://h/",true,true]`,
		},
		"foreign this": {`try { URL.prototype.toString.call({}) } catch (e) { return e.name }`, `"TypeError"`},
		"other class":  {`try { URL.prototype.toString.call(new Headers()) } catch (e) { return e.name }`, `"TypeError"`},
		"proxy": {
			`const p = new Proxy(new URL("http://h/x"), {}); try { p.toString() } catch (e) { return [p.host, e.name] }`, `["h","TypeError"]`,
		},
		"own properties": {
			`const u = new URL("http://h"); u.mine = 1; u.toString = () => "no"; const had = u.mine; delete u.mine; return [had, u.mine === undefined, u + "", "host" in u]`,
			`[1,true,"no",true]`,
		},
		"read-only": {
			`"use strict"; const u = new URL("http://h"); try { u.origin = "x"; return "set" } catch (e) { return e.name }`, `"TypeError"`,
		},

		"set protocol": {
			`const u = new URL("http://h:443/"); u.protocol = "https"; const a = u.href; u.protocol = "custom"; u.protocol = "1:"; return [a, u.href]`,
			`["https://h/","https://h/"]`,
		},
		"set user": {`const u = new URL("http://h/"); u.username = "a:b"; u.password = "c@"; return u.href`, `"http://a%3Ab:c%40@h/"`},
		"set host": {
			`const u = new URL("http://h:1/x"); u.host = "b:2/y"; const a = u.href; u.host = "c"; const b = u.href; u.host = "a b"; u.host = ""; return [a, b, u.href]`,
			`["http://b:2/x","http://c:2/x","http://c:2/x"]`,
		},
		"set hostname": {`const u = new URL("http://h:1/x"); u.hostname = "b"; u.hostname = "c:2"; return u.href`, `"http://b:1/x"`},
		"set port": {
			`const u = new URL("http://h/"); u.port = "81x"; const a = u.href; u.port = "x"; u.port = "99999"; const b = u.port; u.port = 80; return [a, b, u.href]`,
			`["http://h:81/","81","http://h/"]`,
		},
		"set path": {
			`const u = new URL("http://h/a?b"); u.pathname = "/x y/../z?#"; const a = u.href; u.pathname = ""; return [a, u.href]`,
			`["http://h/z%3F%23?b","http://h/?b"]`,
		},
		"set search": {
			`const u = new URL("http://h/"); u.search = "a b#"; const a = u.href; u.search = "?"; const b = u.search; u.search = ""; return [a, b, u.href]`,
			`["http://h/?a%20b%23","","http://h/"]`,
		},
		"set hash": {
			`const u = new URL("http://h/"); u.hash = "a b"; const a = u.href; u.hash = ""; return [a, u.href]`, `["http://h/#a%20b","http://h/"]`,
		},
		"set href": {
			`const u = new URL("http://h/?a=1"); const p = u.searchParams; u.href = "http://i/?b=2"; try { u.href = "x" } catch (e) { return [u.host, p.get("b"), p === u.searchParams, e.name] }`,
			`["i","2",true,"TypeError"]`,
		},
		"line breaks": {`const u = new URL("http://h/"); u.pathname = "/a\r\nb"; u.host = "i\n"; return u.href`, `"http://i/ab"`},
		"opaque":      {`const u = new URL("mailto:a"); u.pathname = "/b"; u.host = "h"; u.port = "1"; return u.href`, `"mailto:a"`},

		"live": {
			`const u = new URL("http://h/?a=1"); u.searchParams.append("b", "x y"); const a = u.href; u.searchParams.delete("a"); u.searchParams.delete("b"); return [a, u.href]`,
			`["http://h/?a=1&b=x+y","http://h/"]`,
		},
		"live back": {
			`const u = new URL("http://h/"); const p = u.searchParams; u.search = "?q=%F0%9F%99%82"; return [p.get("q"), p.size]`, `["🙂",1]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			returns(t, function(t, tt.body), tt.want)
		})
	}
}
