package apitools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/tool"
)

// TestQueryInPath: a parameter in a path that has a query adds no other parameter to it.
func TestQueryInPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		"  '/do?action=read&q={q}': {get: {operationId: do, parameters: [{name: q, in: path, required: true, schema: {}}, {name: r, in: "+
			"query, schema: {}}]}}\n",
		nil)
	if got := w.sent("do", `{"q":"a&action=delete/../b","r":"c"}`); got.path != "/v1/do" ||
		got.query != "action=read&q=a%26action%3Ddelete%2F..%2Fb&r=c" {
		t.Errorf("it is sent to %s?%s", got.path, got.query)
	}
}

// TestNoOtherKeyInQuery: the member of an object has no effect in the place of a key,
// whatever its letters.
func TestNoOtherKeyInQuery(t *testing.T) {
	t.Parallel()
	w := newSecured(t)
	w.entry("acct", map[string]string{"api_key": "acct-key"})
	if got := w.sent("query", `{"filter":{"KEY":"mine","a":"b"}}`); got.query != "a=b&key=acct-key" {
		t.Errorf("the query is %q", got.query)
	}
}

// TestUncallable: an operation for which no request can be made is left out, and its error
// never shows a key.
func TestUncallable(t *testing.T) {
	t.Parallel()
	const text = "openapi: 3.0.0\npaths:\n  '/a%zz': {get: {operationId: escape}}\n  '/a#b': {get: {operationId: fragment}}\n  \"/a\\nb\": " +
		"{get: {operationId: control}}\n" +
		"  /media: {put: {operationId: media, requestBody: {content: {\"text/plain\\r\\nX: y\": {}}}}}\n  /good: {get: {operationId: good}}\n"
	d := document{api: API{Name: "x", Document: "x.yaml", BaseURL: "http://h"}}
	if err := d.fill([]byte(text), "default"); err != nil || len(d.offers) != 1 || d.offers[0].op.ID != "good" || len(d.problems) != 4 {
		t.Errorf("offered are %d, problems %v, %v", len(d.offers), d.problems, err)
	}
	w := newSecured(t)
	w.entry("acct", map[string]string{"api_key": "acct-key"})
	w.offers["query"].op.Path = "/%zz"
	_, err := w.call("query", `{}`)
	if e := tool.AsError(err); err == nil || strings.Contains(fmt.Sprint(e.Msg, e.Cause), "acct-key") {
		t.Errorf("the error is %v, its cause %v", err, e.Cause)
	}
}

// TestKeysForOperatorsAddress: a key goes to no address that only the document names.
func TestKeysForOperatorsAddress(t *testing.T) {
	t.Parallel()
	w := newSecured(t)
	o := w.offers["header"]
	o.api.BaseURL = ""
	w.entry("acct", map[string]string{"api_key": "acct-key"})
	_, err := w.call("header", `{}`)
	wantError(t, "nobody has set the address", err, tool.NotConfigured, "helve config set acct base_url="+w.server.URL,
		"is known from its document only")
	w.entry("acct", map[string]string{"api_key": "acct-key", "base_url": w.server.URL})
	k, err := o.keys(t.Context(), &tool.Call{Secrets: w})
	if err != nil || k.header.Get("X-Key") != "acct-key" {
		t.Errorf("with the address in the account: %v, %v", k, err)
	}
}

// accounts is a config center whose account of a person can be renewed once.
type accounts struct {
	*world

	renewed int
	fail    error
}

func (a *accounts) Refresh(_ context.Context, service string, refused tool.ServiceEntry) (tool.ServiceEntry, bool, error) {
	a.renewed++
	refused.Data = map[string]string{"access_token": "token-2", "client_id": "helve"}
	return refused, service == "tokens" && a.fail == nil, a.fail
}

// TestRenewedAccount: a refused token of a person's account is replaced, and the request sent
// once more. A second refusal names the command that connects the account again.
func TestRenewedAccount(t *testing.T) {
	t.Parallel()
	w := newSecured(t)
	w.entry("tokens", map[string]string{"access_token": "token-1"})
	accept := "Bearer token-2"
	w.respond = func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != accept {
			rw.WriteHeader(http.StatusUnauthorized)
		}
	}
	for _, id := range []string{"bearer", "post"} {
		a := &accounts{world: w}
		call := &tool.Call{ID: "c", Tenant: "acme", User: "ann", HTTP: w.guard, Secrets: a, Clock: w}
		before := w.count()
		if _, err := w.offers[id].call(t.Context(), call, []byte(`{}`)); err != nil || w.count()-before != 2 || a.renewed != 1 {
			t.Errorf("%s: %v after %d requests and %d renewals", id, err, w.count()-before, a.renewed)
		}
	}
	accept = "none"
	a := &accounts{world: w}
	call := &tool.Call{ID: "c", Tenant: "acme", User: "ann", HTTP: w.guard, Secrets: a, Clock: w}
	before := w.count()
	_, err := w.offers["post"].call(t.Context(), call, []byte(`{}`))
	wantError(t, "refused twice", err, tool.NotConfigured, "helve config connect tokens")
	if n := w.count() - before; n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	a.fail = &tool.AccountMissing{Service: "tokens"}
	if _, err := w.offers["post"].call(t.Context(), call, []byte(`{}`)); tool.AsError(err).Kind == tool.OutcomeUnknown {
		t.Errorf("a request that was refused may have happened: %v", err)
	}
}

// TestServiceIsCounted: requests with the key of a service count as those of the service.
func TestServiceIsCounted(t *testing.T) {
	t.Parallel()
	w := newSecured(t)
	w.entry("tokens", map[string]string{"access_token": "token-1"})
	var service string
	call := &tool.Call{ID: "c", Secrets: w, Clock: w, HTTP: port(func(r *http.Request) (*http.Response, error) {
		service = tool.ServiceOf(r.Context())
		return nil, tool.Fail(tool.RateLimited, "enough")
	})}
	_, err := w.offers["bearer"].call(t.Context(), call, []byte(`{}`))
	if wantError(t, "a limited service", err, tool.RateLimited); service != "tokens" {
		t.Errorf("the request counts for %q", service)
	}
}

type port func(r *http.Request) (*http.Response, error)

func (p port) Do(r *http.Request) (*http.Response, error) { return p(r) }

// TestEqualHashes: of two operations whose tools would have one name, although it ends in a
// hash, one is left out.
func TestEqualHashes(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("X"))
	third := "x_" + hex.EncodeToString(sum[:])[:8]
	d := document{api: API{Name: "a", Document: "a.yaml", BaseURL: "http://h"}}
	err := d.fill(fmt.Appendf(nil,
		"openapi: 3.0.0\npaths: {/a: {get: {operationId: x}}, /b: {get: {operationId: X}}, /c: {get: {operationId: %s}}}", third), "default")
	names := map[string]bool{}
	for _, o := range d.offers {
		names[o.def.Name] = true
	}
	if err != nil || len(d.offers) != 2 || len(names) != 2 || len(d.problems) != 1 || !strings.Contains(d.problems[0].Reason, `that of "X"`) {
		t.Errorf("%d offers of %v, %v, %v", len(d.offers), names, d.problems, err)
	}
}

// TestTwins: a document whose tool has the name of one of another document is refused, and
// withholds nothing of that.
func TestTwins(t *testing.T) {
	t.Parallel()
	docs := make([]*document, 2)
	for i, api := range []API{{Name: "a", Document: "a.yaml", BaseURL: "http://h"}, {Name: "a_b", Document: "b.yaml", BaseURL: "http://h"}} {
		docs[i] = &document{api: api}
		if err := docs[i].fill([]byte("openapi: 3.0.0\npaths: {/a: {get: {operationId: b_c}}, /b: {get: {operationId: c}}}"),
			"default"); err != nil {
			t.Fatal(err)
		}
	}
	byName := distinct(docs)
	if len(docs[0].offers) != 2 || len(docs[1].offers) != 0 || len(byName) != 2 || byName["a_b_c"].api.Name != "a" ||
		len(docs[1].problems) != 1 || !strings.Contains(docs[1].problems[0].Reason, "clashes with another tool") {
		t.Errorf("offered are %v, problems %v", byName, docs[1].problems)
	}
}

// TestUnknownScheme: a security scheme that the operator binds and the document does not have
// is named.
func TestUnknownScheme(t *testing.T) {
	t.Parallel()
	d := document{api: API{Name: "a", Document: "a.yaml", BaseURL: "http://h", Service: Binding{ByScheme: map[string]string{"typo": "acct"}}}}
	err := d.fill([]byte("openapi: 3.0.0\npaths: {/a: {get: {operationId: a}}}"), "default")
	if err != nil || len(d.offers) != 1 || len(d.problems) != 1 || !strings.Contains(d.problems[0].Reason, `"typo"`) {
		t.Errorf("%d offers, problems %v, %v", len(d.offers), d.problems, err)
	}
}

// TestHashOfRequest: how a request is made of the arguments is part of the definition.
func TestHashOfRequest(t *testing.T) {
	t.Parallel()
	const base = "  /a: {post: {operationId: a, security: [{k: []}], parameters: [{name: p, in: query, style: form, schema: " +
		"{}}], requestBody: {content: {multipart/form-data: {schema: {properties: {f: {}}}, encoding: {f: {contentType: text/plain}}}}}}}\n" +
		"components: {securitySchemes: {k: {type: apiKey, in: header, name: X-Key}}}\n"
	first := newWorld(t, base, nil).offers["a"].hash
	for _, change := range []string{
		"in: query|in: header", "style: form|style: pipeDelimited", "multipart/form-data|application/x-www-form-urlencoded",
		"text/plain|text/csv", "in: header|in: query", "X-Key|X-Other", "contentType: text/plain|style: deepObject",
	} {
		from, to, _ := strings.Cut(change, "|")
		if again := newWorld(t, strings.Replace(base, from, to, 1), nil).offers["a"].hash; again == first {
			t.Errorf("%s does not change the hash", change)
		}
	}
}

// lazy is a workspace in which every name is one file.
type lazy struct {
	tool.Files

	file *lazyFile
}

func (l lazy) Open(string) (fs.File, error) { return l.file, nil }

// lazyFile is a file without contents of its own, which counts what is done with it.
type lazyFile struct {
	size, read int64
	closed     int
}

func (f *lazyFile) Stat() (fs.FileInfo, error) { return info{size: f.size}, nil }

func (f *lazyFile) Read(p []byte) (int, error) { f.read += int64(len(p)); return len(p), nil }

func (f *lazyFile) Close() error { f.closed++; return nil }

type info struct {
	fs.FileInfo

	size int64
}

func (i info) Size() int64 { return i.size }
func (i info) IsDir() bool { return false }

// TestFormsAreNotHeld: the files of a form are read while it is sent, as long as they were,
// and bounded in size and number.
func TestFormsAreNotHeld(t *testing.T) {
	t.Parallel()
	file := &lazyFile{size: 5 << 20}
	body := &apidoc.Body{Files: map[string]bool{"f": true}}
	call := &tool.Call{Files: lazy{file: file}}
	c, err := newMultiform(call, body, []member{{"f", []byte(`["a","b"]`)}, {"n", []byte(`"x"`)}})
	if err != nil || file.read != 0 {
		t.Fatalf("%d bytes were read before the form is sent, %v", file.read, err)
	}
	for range 2 {
		n, err := io.Copy(io.Discard, c.reader)
		if err != nil || n != c.size || n < 10<<20 {
			t.Errorf("%d bytes are sent, %v, want %d", n, err, c.size)
		}
		if c.reader, err = c.again(); err != nil {
			t.Fatal(err)
		}
	}
	_, err = newMultiform(call, body, []member{{"f", []byte(`[` + strings.Repeat(`"a",`, 12) + `"b"]`)}})
	wantError(t, "a large form", err, tool.FileTooLarge, "together")
	file.size = 0
	_, err = newMultiform(call, body, []member{{"f", []byte(`[` + strings.Repeat(`"a",`, maxFiles) + `"b"]`)}})
	wantError(t, "many files", err, tool.ValidationError, "send fewer")
}

// full is a workspace without room.
type full struct{ tool.Files }

func (full) Write(string, io.Reader) (int64, error) {
	return 0, tool.Fail(tool.ExecutionError, "the workspace is full")
}

// TestAnswerWithoutRoom: a request that was carried out does not look as if it was not,
// because its answer finds no room.
func TestAnswerWithoutRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "  /a: {post: {operationId: a, responses: {'200': {content: {image/png: {}}}}}}\n", nil)
	w.answers(200, "image/png", "PNG")
	call := &tool.Call{ID: "c", HTTP: w.guard, Secrets: w, Clock: w, Files: full{w.files}}
	_, err := w.offers["a"].call(t.Context(), call, []byte(`{}`))
	wantError(t, "no room", err, tool.ExecutionError, "carried the request out (status 200)", "the workspace is full")
}

// TestEchoedKey: a key is hidden in each form in which JSON can have it, and a byte order
// mark before JSON is no nonsense.
func TestEchoedKey(t *testing.T) {
	t.Parallel()
	w := newSecured(t)
	w.entry("acct", map[string]string{"api_key": "ab/cd+e=="})
	for _, body := range []string{`{"message":"ab\/cd+e=="}`, `{"message":"ab/cd\u002be=="}`, `{"message":"ab/cd+e=="}`} {
		w.answers(400, "application/json", body)
		_, err := w.call("header", `{}`)
		if e := tool.AsError(err); err == nil || strings.Contains(e.Msg, "cd+e") || !strings.Contains(e.Msg, mark) {
			t.Errorf("%s: %v", body, err)
		}
	}
	w.answers(200, "application/json", "\uFEFF"+`{"a":"ab\/cd+e=="}`)
	if res, err := w.call("header", `{}`); err != nil || string(value(t, res).Body) != `{"a":"[secret]"}` {
		t.Errorf("the answer is %s, %v", res.Value, err)
	}
}

// TestLongHeaderNames: a server chooses the names of no long headers.
func TestLongHeaderNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAPI, nil)
	w.answers(200, "application/json", `{}`, "X-Ratelimit-"+strings.Repeat("A", 10<<10), "1", "X-Ratelimit-Left", "2")
	res, err := w.call("get", `{}`)
	if h := value(t, res).Headers; err != nil || h["x-ratelimit-left"] != "2" || len(res.Value) > 1<<10 {
		t.Errorf("the headers are %d bytes, %v", len(res.Value), err)
	}
}

// TestRefusedRequest: what refuses a request before it is sent leaves no file open.
func TestRefusedRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bodies, nil)
	file := &lazyFile{size: 3}
	call := &tool.Call{ID: "c", Secrets: w, Clock: w, Files: lazy{file: file}, HTTP: port(func(*http.Request) (*http.Response, error) {
		return nil, tool.Fail(tool.PermissionDenied, "refused").Because(errors.New("guard"))
	})}
	_, err := w.offers["raw"].call(t.Context(), call, []byte(`{"body":"a"}`))
	if wantError(t, "a refused request", err, tool.PermissionDenied); file.closed != 1 {
		t.Errorf("the file was closed %d times", file.closed)
	}
}
