package js

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// web returns the task of a body that can fetch from loopback; URL in it is replaced by
// the address of a server with handler h.
func web(t testing.TB, h http.HandlerFunc, body string) *Task {
	t.Helper()
	task := function(t, strings.ReplaceAll(body, "SERVER", serve(t, h)))
	task.Network, task.Host = true, online(t)
	return task
}

// mirror answers with the request.
func mirror(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Two", "a")
	w.Header().Add("X-Two", "b")
	_ = json.NewEncoder(w).Encode(map[string]string{
		"method": r.Method, "url": r.URL.String(), "body": string(body), "type": r.Header.Get("Content-Type"),
		"one": strings.Join(r.Header["X-One"], "|"),
	})
}

func TestFetch(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"get": {
			`const r = await fetch("SERVER/a b?q=é"); const d = await r.json();
			return [r.ok, r.status, r.statusText, r.redirected, r.url.replace("SERVER", ""), r.headers.get("X-TWO"), r.headers.get("none"), r.bodyUsed, d.method, d.url]`,
			`[true,200,"OK",false,"/a%20b?q=%C3%A9","a, b",null,true,"GET","/a%20b?q=%C3%A9"]`,
		},
		"URL object": {`return (await (await fetch(new URL("/x", "SERVER"))).json()).url`, `"/x"`},
		"fragment":   {`const r = await fetch("SERVER/x#y"); return r.url.replace("SERVER", "")`, `"/x"`},
		"text body": {
			`const d = await (await fetch("SERVER", {method: "post", headers: {"X-One": "1"}, body: "hé"})).json(); return [d.method, d.body, d.type, d.one]`,
			`["POST","hé","text/plain;charset=UTF-8","1"]`,
		},
		"own type": {
			`const d = await (await fetch("SERVER", {method: "PUT", headers: new Headers([["content-TYPE", "application/json"]]), body: JSON.stringify({a: 1})})).json(); return [d.body, d.type]`,
			`["{\"a\":1}","application/json"]`,
		},
		"form": {
			`const d = await (await fetch("SERVER", {method: "POST", body: new URLSearchParams({a: "1 2", b: "é"})})).json(); return [d.body, d.type]`,
			`["a=1+2\u0026b=%C3%A9","application/x-www-form-urlencoded;charset=UTF-8"]`,
		},
		"bytes": {
			`return (await (await fetch("SERVER", {method: "POST", body: new TextEncoder().encode("xyz").subarray(1)})).json()).body`, `"yz"`,
		},
		"buffer": {`return (await (await fetch("SERVER", {method: "POST", body: new Uint8Array([65]).buffer})).json()).body`, `"A"`},
		"view": {
			`return (await (await fetch("SERVER", {method: "POST", body: new DataView(new Uint8Array([65, 66, 67]).buffer, 1, 1)})).json()).body`,
			`"B"`,
		},
		"no body":          {`return (await (await fetch("SERVER", {method: "POST", body: null, headers: undefined})).json()).type`, `""`},
		"repeated headers": {`return (await (await fetch("SERVER", {headers: [["X-One", "1"], ["x-one", " 2 "]]})).json()).one`, `"1, 2"`},
		"second read": {
			`const r = await fetch("SERVER"); await r.text(); try { await r.json(); return "read" } catch (e) { return e.name }`, `"TypeError"`,
		},
		"clone": {
			`const r = await fetch("SERVER"); const c = r.clone(); new Uint8Array(await r.arrayBuffer()).fill(0); return [c.bodyUsed, (await c.json()).method, r.bodyUsed]`,
			`[false,"GET",true]`,
		},
		"array buffer": {`return (await (await fetch("SERVER")).arrayBuffer()) instanceof ArrayBuffer`, `true`},
		"not JSON": {
			`const r = await fetch("SERVER", {method: "HEAD"}); try { await r.json() } catch (e) { return [e.name, r.status] }`,
			`["SyntaxError",200]`,
		},
		"headers": {
			`const r = await fetch("SERVER"); return [r.headers === r.headers, r.headers instanceof Headers, [...r.headers.keys()].includes("x-two")]`,
			`[true,true,true]`,
		},
		"it is a promise": {`return fetch("SERVER") instanceof Promise && fetch("no url").catch(() => 0) instanceof Promise`, `true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := web(t, mirror, tt.body)
			got, err := within(t, task)
			var a, b any
			if err != nil || json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(tt.want), &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestFetchRejects(t *testing.T) {
	t.Parallel()
	redirect := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			_, _ = w.Write(make([]byte, MaxBody+1))
			return
		}
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
	}
	for name, tt := range map[string]struct{ call, want string }{
		"nobody there":         {`fetch("http://127.0.0.1:1/")`, "Error network_error"},
		"metadata":             {`fetch("http://169.254.169.254/latest")`, "Error permission_denied"},
		"metadata in disguise": {`fetch("http://0xA9FEA9FE/")`, "Error permission_denied"},
		"redirect to metadata": {`fetch("SERVER/")`, "Error permission_denied"},
		"too large":            {`fetch("SERVER/long")`, "Error network_error"},
		"no arguments":         {`fetch()`, "TypeError undefined"},
		"no address":           {`fetch("/a")`, "TypeError undefined"},
		"file":                 {`fetch("file:///etc/passwd")`, "TypeError undefined"},
		"credentials":          {`fetch("http://u:p@example.com/")`, "TypeError undefined"},
		"symbol":               {`fetch(Symbol("x"))`, "TypeError undefined"},
		"options":              {`fetch("SERVER", "GET")`, "TypeError undefined"},
		"method":               {`fetch("SERVER", {method: "TRACE"})`, "Error validation_error"},
		"method injection":     {`fetch("SERVER", {method: "GET / HTTP/1.1\r\nX: y"})`, "Error validation_error"},
		"redirect option":      {`fetch("SERVER", {redirect: "never"})`, "Error validation_error"},
		"object as body":       {`fetch("SERVER", {method: "POST", body: {a: 1}})`, "TypeError undefined"},
		"body of GET":          {`fetch("SERVER", {body: "x"})`, "TypeError undefined"},
		"6 MB":                 {`fetch("SERVER", {method: "POST", body: "x".repeat(1e3).repeat(6e3)})`, "TypeError undefined"},
		"100 MB of bytes":      {`fetch("SERVER", {method: "POST", body: new Uint8Array(1e8)})`, "TypeError undefined"},
		"6 MB of address":      {`fetch("http://example.com/" + "x".repeat(1e3).repeat(6e3))`, "TypeError undefined"},
		"header injection":     {`fetch("SERVER", {headers: {a: "b\r\nHost: evil"}})`, "TypeError undefined"},
		"header name":          {`fetch("SERVER", {headers: {"a\r\nb": "c"}})`, "TypeError undefined"},
		"Host":                 {`fetch("SERVER", {headers: {host: "evil"}})`, "Error validation_error"},
		"throwing getter":      {`fetch("SERVER", {get body() { throw new RangeError("mine") }})`, "RangeError undefined"},
		"throwing toString":    {`fetch({toString() { throw new RangeError("mine") }})`, "RangeError undefined"},
		"throwing Proxy": {
			`fetch("SERVER", {headers: new Proxy({}, {ownKeys() { throw new RangeError("mine") }})})`, "RangeError undefined",
		},
		"throwing iterator": {`fetch("SERVER", {headers: {[Symbol.iterator]() { throw new RangeError("mine") }}})`, "RangeError undefined"},
		"endless iterator":  {`fetch("SERVER", {headers: (function* () { for (;;) yield ["a", "b"] })()})`, "TypeError undefined"},
		"endless pair":      {`fetch("SERVER", {headers: [(function* () { for (;;) yield "a" })()]})`, "TypeError undefined"},
		"array of 100,000":  {`fetch("SERVER", {headers: new Array(1e5).fill(["a", "b"])})`, "TypeError undefined"},
		"not pairs":         {`fetch("SERVER", {headers: ["ab"]})`, "TypeError undefined"},
		"lying view": {
			`fetch("SERVER", {method: "POST", body: {buffer: new ArrayBuffer(4), byteOffset: 2, byteLength: 1e9}})`, "TypeError undefined",
		},
		"view before": {
			`fetch("SERVER", {method: "POST", body: {buffer: new ArrayBuffer(4), byteOffset: -2, byteLength: 3}})`, "TypeError undefined",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			returns(t, web(t, redirect, `try { await `+tt.call+`; return "sent" } catch (e) { return e.name + " " + e.error_type }`),
				`"`+tt.want+`"`)
		})
	}
}

func TestFetchUncaughtKeepsItsKind(t *testing.T) {
	t.Parallel()
	fails(t, web(t, mirror, `await fetch("http://169.254.169.254/")`), tool.PermissionDenied, "169.254.169.254")
	fails(t, web(t, mirror, "\nawait fetch('nowhere')"), tool.ExecutionError, "TypeError: fetch:")
}

func TestFetchIsNotThereWithoutNetwork(t *testing.T) {
	t.Parallel()
	returns(t, function(t, `return [typeof fetch, typeof fs, typeof Headers]`), `["undefined","undefined","function"]`)
}

// meets answers only when n requests wait concurrently.
func meets(n int) http.HandlerFunc {
	var all sync.WaitGroup
	all.Add(n)
	return func(http.ResponseWriter, *http.Request) {
		all.Done()
		all.Wait()
	}
}

func TestFetchesRunInParallel(t *testing.T) {
	t.Parallel()
	returns(t,
		web(t, meets(5),
			`const all = await Promise.all([1, 2, 3, 4, 5].map((i) => fetch("SERVER/" + i))); return all.map((r) => r.url.slice(-1)).join("")`),
		`"12345"`)
}

func TestFetchCountsHundred(t *testing.T) {
	t.Parallel()
	returns(t, web(t, mirror, `
		const all = await Promise.allSettled(Array.from({length: 103}, () => fetch("SERVER")));
		return all.filter((r) => r.status === "rejected").map((r) => r.reason.error_type)`),
		`["rate_limited","rate_limited","rate_limited"]`)
}

func TestFetchOfDeepJSON(t *testing.T) {
	t.Parallel()
	deep := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat("[", 1_000_000))) }
	returns(t, web(t, deep, `try { await (await fetch("SERVER")).json() } catch (e) { return e.name }`), `"SyntaxError"`)
}

func TestFetchBadAnswer(t *testing.T) {
	t.Parallel()
	task := web(t, mirror, `try { await fetch("SERVER") } catch (e) { return e.name }`)
	task.Host = &recorder{ops: map[Op]func(context.Context, json.RawMessage) (json.RawMessage, error){
		OpFetch: func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`[]`), nil },
	}}
	returns(t, task, `"TypeError"`)
}

// answers is a host with the same answer to everything.
type answers json.RawMessage

func (a answers) Do(context.Context, Op, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(a), nil
}

// BenchmarkFetchBridge measures a fresh runtime and a fetch that is answered
// immediately.
func BenchmarkFetchBridge(b *testing.B) {
	task := script(b, `async function execute() { const r = await fetch("http://example.com/"); return r.ok ? await r.json() : null }`)
	task.Network, task.Host = true, answers(
		`{"url":"http://example.com/","status":200,"status_text":"OK","headers":[["content-type","application/json"]],"body":"eyJhIjoxfQ=="}`,
	)
	b.ReportAllocs()
	for b.Loop() {
		if v, err := Run(b.Context(), task); err != nil || string(v) != `{"a":1}` {
			b.Fatal(string(v), err)
		}
	}
}
