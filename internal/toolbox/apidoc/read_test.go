package apidoc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// withPaths is a document of version 3.0 with these paths, in YAML.
func withPaths(paths string) string {
	return "openapi: 3.0.3\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://api.example/v1/'}]\npaths:\n" + paths
}

// all wants every operation.
func all(string) bool { return true }

func read(t *testing.T, text string) *Document {
	t.Helper()
	doc, err := Read([]byte(text), all)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return doc
}

// operation returns the operation with an id.
func operation(t *testing.T, doc *Document, id string) *Operation {
	t.Helper()
	for _, op := range doc.Operations {
		if op.ID == id {
			return op
		}
	}
	t.Fatalf("there is no operation %s; left out are %v", id, doc.LeftOut)
	return nil
}

const petstore = `{
 "openapi": "3.1.0", "info": {"title": "Pets", "version": "2"},
 "servers": [{"url": "/relative"}, {"url": "https://{region}.example/v1/", "variables": {"region": {"default": "eu"}}}],
 "security": [{"key": []}],
 "paths": {"/pets/{id}": {
   "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
   "get": {"operationId": "getPet", "summary": "Get a pet", "tags": ["pets"], "responses": {"200": {"description": "ok", "content": {"application/json": {}}}}},
   "put": {"operationId": "putPet", "security": [], "parameters": [{"$ref": "#/components/parameters/Trace"}],
     "requestBody": {"required": true, "content": {"application/xml": {}, "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
   "trace": {"operationId": "tracePet"}}},
 "components": {
   "parameters": {"Trace": {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}},
   "schemas": {"Pet": {"type": "object", "required": ["id", "name"], "properties": {"id": {"type": "integer", "readOnly": true}, "name": {"type": ["string", "null"]}}}},
   "securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "api_key"}, "sso": {"type": "oauth2"}, "odd": {"type": "mutualTLS"}}}}`

func TestRead(t *testing.T) {
	t.Parallel()
	doc := read(t, petstore)
	if doc.Title != "Pets" || doc.Version != "2" || doc.Server != "https://eu.example/v1" || len(doc.LeftOut) != 0 {
		t.Errorf("the document is %q %q at %q, left out %v", doc.Title, doc.Version, doc.Server, doc.LeftOut)
	}
	want := map[string]Scheme{"key": {APIKey, InQuery, "api_key"}, "sso": {Type: Bearer}, "odd": {}}
	if diff := cmp.Diff(want, doc.Schemes); diff != "" {
		t.Errorf("security schemes (-want +got):\n%s", diff)
	}
	if len(doc.Operations) != 2 { // TRACE would repeat the credentials
		t.Fatalf("%d operations, want 2", len(doc.Operations))
	}
	get := operation(t, doc, "getPet")
	if get.Method != "GET" || get.Path != "/pets/{id}" || get.Summary != "Get a pet" || !get.Secured ||
		!cmp.Equal(get.Security, [][]string{{"key"}}) || get.Binary || len(get.Parameters) != 1 {
		t.Errorf("getPet is %+v", get)
	}
	put := operation(t, doc, "putPet")
	if len(put.Security) != 0 || !put.Secured || len(put.Parameters) != 2 || put.Parameters[1].Name != "X-Trace" {
		t.Errorf("putPet is %+v", put)
	}
	schema := map[string]any{
		"type": "object", "properties": map[string]any{"name": map[string]any{"type": []any{"string", "null"}}}, "required": []any{"name"},
	}
	if diff := cmp.Diff(&Body{MediaType: "application/json", Required: true, Schema: schema}, put.Body); diff != "" {
		t.Errorf("the body of putPet (-want +got):\n%s", diff)
	}
}

// TestRefused: a document is refused as a whole where it cannot be understood or reaches
// outside, with the reason.
func TestRefused(t *testing.T) {
	t.Parallel()
	many := withPaths("") + strings.Repeat("  /a: {get: {operationId: x}}\n", 1)
	for i := range 5000 {
		many += fmt.Sprintf("  /p%d: {get: {operationId: same}}\n", i)
	}
	bomb := "a0: &a0 [x, x]\n"
	for i := range 40 {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":            {"", "cannot be read"},
		"no object":          {"[1, 2]", "cannot be read"},
		"broken JSON":        {`{"openapi": "3.0.0", `, "cannot be read"},
		"no OpenAPI":         {`{"a": 1}`, "no member openapi"},
		"Swagger 2":          {`{"swagger": "2.0", "paths": {}}`, "npx swagger2openapi"},
		"a later version":    {`{"openapi": "4.0.0", "paths": {}}`, "OpenAPI 4.0.0"},
		"a version like 3.1": {`{"openapi": "3.10.0", "paths": {}}`, "OpenAPI 3.10.0"},
		"a file":             {withPaths("  /a: {get: {parameters: [{$ref: 'other.yaml#/a'}]}}"), `"other.yaml#/a" leads out`},
		"a host":             {withPaths("  /a: {get: {responses: {'200': {$ref: 'http://127.0.0.1/x'}}}}"), "leads out of the document"},
		"a path outside":     {withPaths("  /a: {$ref: 'file:///etc/passwd'}"), "leads out of the document"},
		"an example is no way": {
			withPaths("  /a: {post: {requestBody: {content: {application/json: {schema: {properties: {example: {$ref: x.json}}}}}}}}"),
			"leads out of the document",
		},
		"equal ids":       {withPaths("  /a: {get: {operationId: x}, post: {operationId: x}}"), "same operationId"},
		"5,000 equal ids": {many, "same operationId"},
		"a member twice":  {withPaths("  /a: {get: {operationId: x}}\n  /a: {get: {operationId: y}}"), "there twice"},
		"deep":            {withPaths("  /a: " + strings.Repeat("{b: ", 300) + "1" + strings.Repeat("}", 300)), "nested"},
		"very deep JSON": {
			`{"openapi": "3.0.0", "x": ` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + `}`, "cannot be read",
		},
		"very deep YAML":         {"openapi: 3.0.0\nx: " + strings.Repeat("[", 1_000_000), ""},
		"a bomb of aliases":      {"openapi: 3.0.0\nx:\n  " + strings.ReplaceAll(bomb, "\n", "\n  "), "aliases"},
		"an alias of itself":     {"openapi: 3.0.0\nx: &a [*a]\n", ""},
		"a path that is a cycle": {withPaths("  /a: {$ref: '#/paths/~1b'}\n  /b: {$ref: '#/paths/~1a'}"), "circle"},
		"larger than allowed":    {strings.Repeat(" ", MaxBytes+1), "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			doc, err := Read([]byte(tt.text), all)
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 500 {
				t.Errorf("Read = %v, %v, want an error with %q", doc, err, tt.want)
			}
			t.Logf("%v after %v", err, time.Since(began))
		})
	}
}

// TestLeftOut: an operation that cannot be called does not refuse the others.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	doc := read(t, withPaths(`
  /good: {get: {operationId: good, parameters: [{name: c, in: body, schema: {}}, {name: X-HTTP-Method-Override, in: header, schema: {}}, {name: authorization, in: header, schema: {}}, {name: other, in: path, schema: {}}]}}
  /gone: {get: {operationId: gone, parameters: [{$ref: '#/components/parameters/none'}]}}
  /anchor: {post: {operationId: anchor, requestBody: {content: {application/json: {schema: {$ref: '#Pet'}}}}}}
  /hidden: {get: {operationId: hidden, parameters: [{name: "a\u200b", in: query, schema: {}}]}}
  /loop: {get: {operationId: loop, parameters: [{$ref: '#/components/parameters/a'}]}}
components: {parameters: {a: {$ref: '#/components/parameters/b'}, b: {$ref: '#/components/parameters/a'}}}
`))
	if len(doc.Operations) != 1 || len(operation(t, doc, "good").Parameters) != 0 {
		t.Errorf("offered are %v, want good without what it cannot send", doc.Operations)
	}
	reasons := map[string]string{"gone": "leads to nothing", "anchor": "leads to nothing", "hidden": "cannot be seen", "loop": "circle"}
	for _, l := range doc.LeftOut {
		if want := reasons[l.Operation]; want == "" || !strings.Contains(l.Reason, want) {
			t.Errorf("%s is left out: %s", l.Operation, l.Reason)
		}
		delete(reasons, l.Operation)
	}
	if len(reasons) > 0 {
		t.Errorf("not left out are %v", reasons)
	}
}

// TestYAML: aliases and merged mappings are read as the values that they stand for.
func TestYAML(t *testing.T) {
	t.Parallel()
	doc := read(t, withPaths(`
  /a:
    get: &base {operationId: a, tags: [x], parameters: [&id {name: q, in: query, schema: {type: integer, maximum: 0x10, minimum: 1_0}}]}
    post:
      <<: *base
      operationId: b
      deprecated: true
`))
	b := operation(t, doc, "b")
	want := map[string]any{"type": "integer", "maximum": number16, "minimum": number10}
	if !b.Deprecated || len(b.Tags) != 1 || len(b.Parameters) != 1 || cmp.Diff(want, b.Parameters[0].Schema) != "" {
		t.Errorf("b is %+v, its parameters %+v", b, b.Parameters)
	}
}

// TestServers: the first absolute address counts, that of an operation before that of the
// document.
func TestServers(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://a.example/": "https://a.example", "http://a.example:8080/v1": "http://a.example:8080/v1", "/v1": "", "ftp://a.example": "",
		"https://user:pw@a.example": "", "https://{x}.example": "", "https://": "", "https://a.example/?key=1#f": "https://a.example",
	} {
		doc := read(t, "openapi: 3.0.0\nservers: [{url: '"+url+"'}]\npaths: {}\n")
		if doc.Server != want {
			t.Errorf("the server %s is %q, want %q", url, doc.Server, want)
		}
	}
	doc := read(t,
		withPaths("  /a:\n    servers: [{url: 'https://path.example'}]\n    get: {operationId: a}\n    post: {operationId: b, servers: [{url: "+
			"'https://own.example'}]}\n"))
	if a, b := operation(t, doc, "a").Server, operation(t, doc, "b").Server; a != "https://path.example" || b != "https://own.example" {
		t.Errorf("the servers are %q and %q", a, b)
	}
}
