package apitools

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

const secured = `
  /header: {get: {operationId: header, security: [{head: []}], parameters: [{name: x-key, in: header, required: true, schema: {type: string}}, {name: Authorization, in: header, schema: {}}]}}
  /query: {get: {operationId: query, security: [{quer: []}], parameters: [{name: key, in: query, required: true, schema: {type: string}}, {name: filter, in: query, schema: {type: object}}]}}
  /bearer: {get: {operationId: bearer, security: [{bear: []}]}, post: {operationId: post, security: [{bear: []}]}}
  /basic: {get: {operationId: basic, security: [{basi: []}]}}
  /oauth: {get: {operationId: oauth, security: [{oaut: [read]}]}}
  /both: {get: {operationId: both, security: [{head: [], bear: []}]}}
  /either: {get: {operationId: either, security: [{basi: []}, {bear: []}]}}
  /open: {get: {operationId: open, security: []}}
  /optional: {get: {operationId: optional, security: [{bear: []}, {}]}}
  /unsaid: {get: {operationId: unsaid}}
components:
  securitySchemes:
    head: {type: apiKey, in: header, name: X-Key}
    quer: {type: apiKey, in: query, name: key}
    bear: {type: http, scheme: bearer}
    basi: {type: http, scheme: Basic}
    oaut: {type: oauth2, flows: {}}
`

// newSecured binds every scheme of secured to the service acct, but bear to tokens.
func newSecured(t *testing.T) *world {
	t.Helper()
	return newWorld(t, secured, func(a *API) { a.Service = Binding{All: "acct", ByScheme: map[string]string{"bear": "tokens"}} })
}

// TestCredentials: each scheme is sent as the document says, from the fields of its service.
func TestCredentials(t *testing.T) {
	t.Parallel()
	w := newSecured(t)
	w.entry("acct", map[string]string{"api_key": "acct-key", "user": "ann", "password": "acct-pw"})
	w.entry("tokens", map[string]string{"access_token": "tok-1", "api_key": "no"})
	for _, tt := range []struct{ id, auth, header, query string }{
		{"header", "", "acct-key", ""},
		{"query", "", "", "key=acct-key"},
		{"bearer", "Bearer tok-1", "", ""},
		{"basic", "Basic YW5uOmFjY3QtcHc=", "", ""},
		{"oauth", "Bearer acct-key", "", ""},
		{"both", "Bearer tok-1", "acct-key", ""},
		{"either", "Basic YW5uOmFjY3QtcHc=", "", ""},
		{"open", "", "", ""},
		{"optional", "Bearer tok-1", "", ""},
		{"unsaid", "Basic YW5uOmFjY3QtcHc=", "", ""}, // the first scheme by name
	} {
		got := w.sent(tt.id, `{}`)
		if got.header.Get("Authorization") != tt.auth || got.header.Get("X-Key") != tt.header || got.query != tt.query {
			t.Errorf("%s is sent with %q, %q and %q", tt.id, got.header.Get("Authorization"), got.header.Get("X-Key"), got.query)
		}
	}
	delete(w.entries, "acct")
	if got := w.sent("either", `{}`); got.header.Get("Authorization") != "Bearer tok-1" {
		t.Errorf("the second alternative is sent with %q", got.header.Get("Authorization"))
	}
	delete(w.entries, "tokens")
	if got := w.sent("optional", `{}`); got.header.Get("Authorization") != "" {
		t.Errorf("without an account an optional credential is %q", got.header.Get("Authorization"))
	}
}

// TestKeysAreNoArguments: what carries a key is no parameter, and an argument that would
// replace it has no effect.
func TestKeysAreNoArguments(t *testing.T) {
	t.Parallel()
	w := newSecured(t)
	w.entry("acct", map[string]string{"api_key": "acct-key"})
	if properties, _ := w.parameters("header"); len(properties) != 0 {
		t.Errorf("the parameters are %v", properties)
	}
	properties, _ := w.parameters("query")
	if len(properties) != 1 || properties["filter"] == nil {
		t.Errorf("the parameters are %v", properties)
	}
	if got := w.sent("query", `{"filter":{"key":"mine","a":"b"}}`); got.query != "a=b&key=acct-key" {
		t.Errorf("the query is %q", got.query)
	}
}

// TestNotConfigured: a missing account is named, with the person and the command.
func TestNotConfigured(t *testing.T) {
	t.Parallel()
	w := newSecured(t)
	_, err := w.call("header", `{}`)
	wantError(t, "no account", err, tool.NotConfigured, `The service "acct" is not configured, neither for ann nor for the tenant acme.`,
		"The API pets needs its key.",
		"helve config set acct --type http base_url="+w.server.URL+"/v1 --stdin api_key")
	w.user = ""
	_, err = w.call("header", `{}`)
	wantError(t, "no account of the tenant", err, tool.NotConfigured, "for the tenant acme.")
	w.entries["acct"] = []tool.ServiceEntry{{Active: false, Data: map[string]string{"api_key": "x"}}}
	_, err = w.call("header", `{}`)
	wantError(t, "an account that is off", err, tool.NotConfigured, "is not configured")
	w.entry("acct", map[string]string{"user": "ann"})
	_, err = w.call("header", `{}`)
	wantError(t, "an account without the field", err, tool.NotConfigured, "api_key", "helve config set acct")
	w.entry("acct", map[string]string{"api_key": "a\r\nX: y"})
	_, err = w.call("header", `{}`)
	wantError(t, "a key that is no header", err, tool.NotConfigured, "characters that no header can have")
	w.entry("acct", map[string]string{"api_key": "key", "base_url": "https://elsewhere.example"})
	_, err = w.call("header", `{}`)
	wantError(t, "an account of another address", err, tool.PermissionDenied, "for another address")
	if n := w.count(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	w.entry("acct", map[string]string{"api_key": "key", "base_url": strings.ToUpper(w.server.URL[:4]) + w.server.URL[4:] + "/other"})
	w.sent("header", `{}`)
}

// TestKeysStayHere: credentials go to the base URL only, and no answer and no error shows
// them.
func TestKeysStayHere(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request went elsewhere") }))
	defer elsewhere.Close()
	w := newSecured(t)
	const key = `s3cr/et"key`
	w.entry("acct", map[string]string{"api_key": key, "user": "ann", "password": "pass/word"})
	w.entry("tokens", map[string]string{"access_token": key})
	echo := func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		rw.Header().Set("ETag", r.Header.Get("X-Key"))
		for _, text := range []string{r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("X-Key"), `"s3cr/et\"key"`} {
			_, _ = io.WriteString(rw, text+"\n")
		}
	}
	w.respond = echo
	secrets := []string{"s3cr", "et%22key", "pass/word", "YW5uOnBhc3M"}
	look := func(what string, res tool.Result, err error) {
		t.Helper()
		text := string(res.Value) + res.Text
		if e := tool.AsError(err); e != nil {
			text += e.Error()
		}
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows %s: %s", what, secret, text)
			}
		}
		if res.Value != nil && !strings.Contains(text, mark) {
			t.Errorf("%s shows no mark: %s", what, text)
		}
	}
	for _, id := range []string{"header", "query", "bearer", "basic"} {
		res, err := w.call(id, `{}`)
		look("an echo of "+id, res, err)
	}
	w.respond = func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(http.StatusTeapot)
		echo(rw, r)
	}
	res, err := w.call("query", `{}`)
	look("a refusal", res, err)

	w.respond = func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, elsewhere.URL, http.StatusFound) }
	res, err = w.call("bearer", `{}`)
	if err != nil || value(t, res).Status != http.StatusFound || value(t, res).Headers["location"] != elsewhere.URL {
		t.Errorf("a redirect elsewhere is %s, %v", res.Value, err)
	}
	w.respond = func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/moved" {
			http.Redirect(rw, r, "/v1/moved", http.StatusMovedPermanently)
		}
	}
	if got := w.sent("bearer", `{}`); got.path != "/v1/moved" || got.header.Get("Authorization") != "Bearer "+key {
		t.Errorf("a redirect within the API is %+v", got)
	}
	if got := w.sent("post", `{}`); got.path != "/v1/bearer" {
		t.Errorf("a redirected POST was sent again: %+v", got)
	}
	w.server.Close()
	res, err = w.call("query", `{}`)
	wantError(t, "a closed API", err, tool.NetworkError)
	look("a closed API", res, err)
}

// TestForeignServer: an operation with a server of its own elsewhere gets no credentials.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		"  /a:\n    get: {operationId: a, security: [{b: []}], servers: [{url: 'https://uploads.example/x'}]}\ncomponents: {securitySchemes: "+
			"{b: {type: http, scheme: bearer}}}\nservers: [{url: 'https://api.example'}]\n",
		func(a *API) { a.BaseURL, a.Service.All = "", "acct" })
	o := w.offers["a"]
	w.entry("acct", map[string]string{"api_key": "key-key"})
	k, err := o.keys(t.Context(), &tool.Call{Secrets: w})
	if err != nil || len(k.header) != 0 || o.def.Scopes.Hosts[0] != "uploads.example" {
		t.Errorf("the credentials are %v, %v at %v", k, err, o.def.Scopes.Hosts)
	}
}

// TestReach: the guard lets a request through only because the operator has set the base
// URL; an internal server of a document is refused.
func TestReach(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "  /a: {get: {operationId: a}}\n", nil)
	w.sent("a", `{}`)
	inner := newWorld(t, "  /a: {get: {operationId: a}}\nservers: [{url: '"+w.server.URL+"'}]\n", func(a *API) { a.BaseURL = "" })
	_, err := inner.call("a", `{}`)
	wantError(t, "a server of the document", err, tool.PermissionDenied, "internal address")
}
