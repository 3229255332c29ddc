package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/helve-dev/helve/internal/api/openapi"
)

// described is what /openapi.json says of answers, with every object closed: a field
// that it does not know fails the test that met it.
type described struct {
	doc map[string]any

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

// described is built once for all tests.
var description = sync.OnceValues(func() (*described, error) {
	text, err := openapi.Document()
	if err != nil {
		return nil, err
	}
	d := &described{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(text, &d.doc); err != nil {
		return nil, err
	}
	closeObjects(d.doc)
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	return d, d.compiler.AddResource("helve:doc", d.doc)
})

func closeObjects(node any) {
	switch node := node.(type) {
	case []any:
		for _, v := range node {
			closeObjects(v)
		}
	case map[string]any:
		if _, object := node["properties"].(map[string]any); object && node["type"] == "object" && node["additionalProperties"] == nil {
			node["additionalProperties"] = false
		}
		for _, v := range node {
			closeObjects(v)
		}
	}
}

// wantDescribed checks that an answer over HTTP is what the document says. The
// bodies of answers that are large are not looked at.
func wantDescribed(t testing.TB, r route, got reply) {
	t.Helper()
	const large = 1 << 20
	kind := got.header.Get("Content-Type")
	if len(got.body) > large || r.path == "" {
		return
	}
	d, err := description()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := d.of(r, got.status, kind)
	if err != nil {
		t.Errorf("%s %s = %d %s %.300s, which is not described: %v", r.method, r.path, got.status, kind, got.body, err)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(got.body))
	if kind == "application/x-pem-file" {
		value, err = string(got.body), nil
	}
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s %s = %d %.1000s, which is not what is described: %v", r.method, r.path, got.status, got.body, err)
	}
}

// of is the schema of an answer.
func (d *described) of(r route, status int, kind string) (*jsonschema.Schema, error) {
	pointer := fmt.Sprintf("/paths/%s/%s/responses/%d", escaped(r.path), strings.ToLower(r.method), status)
	response := d.find(pointer)
	if response == nil {
		return nil, fmt.Errorf("there is no %s", pointer)
	}
	if ref, ok := response["$ref"].(string); ok {
		pointer = strings.TrimPrefix(ref, "#")
	}
	return d.compiled(pointer + "/content/" + escaped(kind) + "/schema")
}

// body is the schema of what an operation takes.
func (d *described) body(r route) (*jsonschema.Schema, error) {
	return d.compiled(fmt.Sprintf("/paths/%s/%s/requestBody/content/application~1json/schema", escaped(r.path), strings.ToLower(r.method)))
}

func (d *described) compiled(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[pointer]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile("helve:doc#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
	d.schemas[pointer] = s
	return s, err
}

// find is the object that a JSON pointer leads to, nil if there is none.
func (d *described) find(pointer string) map[string]any {
	node := d.doc
	for key := range strings.SplitSeq(pointer[1:], "/") {
		node, _ = node[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)].(map[string]any)
	}
	return node
}

func escaped(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }
