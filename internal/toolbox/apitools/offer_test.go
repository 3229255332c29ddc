package apitools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

const methods = `
  /a:
    get: {operationId: get, summary: Get it, description: It gets. It may be slow., tags: [things, "two words"]}
    head: {operationId: head}
    options: {operationId: options}
    post: {operationId: post, deprecated: true}
    put: {operationId: put}
    patch: {operationId: patch}
    delete: {operationId: delete}
`

// TestDefinitions: the method decides the risk, and the operator has the last word.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, methods, func(a *API) { a.Risk = map[string]tool.Risk{"post": tool.Low, "options": tool.High} })
	for id, want := range map[string]struct {
		risk                             tool.Risk
		mutates, destructive, idempotent bool
	}{
		"get": {tool.Medium, false, false, true}, "head": {tool.Medium, false, false, true}, "options": {tool.High, false, false, true},
		"post": {tool.Low, true, false, false}, "put": {tool.Medium, true, false, true}, "patch": {tool.Medium, true, false, false},
		"delete": {tool.Medium, true, true, true},
	} {
		def := w.offers[id].def
		if def.Risk != want.risk || def.Mutates != want.mutates || def.Destructive != want.destructive || def.Idempotent != want.idempotent ||
			!def.OpenWorld || def.Kind != "openapi" || def.Group != "openapi_pets" {
			t.Errorf("%s is %+v", id, def)
		}
		if host := strings.TrimPrefix(w.server.URL, "http://"); len(def.Scopes.Hosts) != 1 || def.Scopes.Hosts[0] != host {
			t.Errorf("%s may reach %v, want %s", id, def.Scopes.Hosts, host)
		}
	}
	if got := w.offers["get"].def.Description; got != "Get it\nIt gets. It may be slow.\n(GET /a of the API pets)" {
		t.Errorf("the description is %q", got)
	}
	if got := w.offers["post"].def.Description; !strings.HasPrefix(got, "Deprecated.") {
		t.Errorf("the description is %q", got)
	}
}

// TestOnce: what changes something is never run twice, although it is idempotent.
func TestOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, methods, nil)
	p := &Pool{byName: map[string]*offer{}}
	for id, want := range map[string]bool{"get": true, "put": false, "delete": false, "post": false} {
		made, _, err := p.made(w.offers[id])
		if err != nil {
			t.Fatal(err)
		}
		inv, err := made.Bind(json.RawMessage(`{}`))
		if err != nil || inv.Idempotent != want || inv.Mutates == (id == "get") || inv.Check == nil {
			t.Errorf("%s is bound as %+v, %v", id, inv, err)
		}
	}
}

// TestHash: what a model, a person or a rule relies on is in the hash; what an operator sets
// is not.
func TestHash(t *testing.T) {
	t.Parallel()
	const base = "  /a: {get: {operationId: a, summary: S, parameters: [{name: p, in: query, schema: {type: string}}], responses: {'200': " +
		"{description: ok}}}}\nservers: [{url: 'https://a.example'}]\n"
	hash := func(paths string, set func(*API)) string { return newWorld(t, paths, set).offers["a"].hash }
	open := func(a *API) { a.BaseURL = "" }
	first := hash(base, open)
	if again := hash(strings.Replace(base, "description: ok", "description: fine", 1), open); again != first {
		t.Error("a response changes the hash")
	}
	for _, change := range []string{
		"summary: S|summary: T", "type: string|type: integer", "/a:|/b:", "get:|post:", "a.example|b.example", "name: p|name: q",
	} {
		from, to, _ := strings.Cut(change, "|")
		if again := hash(strings.Replace(base, from, to, 1), open); again == first {
			t.Errorf("%s does not change the hash", change)
		}
	}
	mine := hash(base, func(a *API) { a.BaseURL = "https://c.example" })
	if other := hash(base, func(a *API) { a.BaseURL, a.Risk = "https://d.example", map[string]tool.Risk{"a": tool.High} }); other != mine {
		t.Error("what the operator sets changes the hash")
	}
}

// TestRefusedDocuments: a document that cannot be offered is refused as a whole.
func TestRefusedDocuments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"openapi: 3.0.0\npaths: {/a: {get: {operationId: a}}}":                                         "has no base_url",
		"openapi: 3.0.0\nservers: [{url: /v1}]\npaths: {/a: {get: {operationId: a}}}":                  "has no base_url",
		"openapi: 3.0.0\nservers: [{url: 'https://a.example'}]\npaths: {/a: {get: {operationId: no}}}": "include and exclude leave",
		"swagger: '2.0'\npaths: {}": "Swagger 2.0",
	} {
		d := document{api: API{Name: "x", Document: "x.yaml", Exclude: []string{"no"}}}
		if err := d.fill([]byte(text), "default"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
