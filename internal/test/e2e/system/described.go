package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/helve-dev/helve/internal/server/openapi"
)

// Described is the description of answers in /openapi.json, with every object closed: an
// unknown field fails the test that received it.
type Described struct {
	doc map[string]any

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

func (d *Described) compiled(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[pointer]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile("helve:doc#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
	d.schemas[pointer] = s
	return s, err
}

// Find returns the object that a JSON pointer refers to, nil if there is none.
func (d *Described) Find(pointer string) map[string]any {
	node := d.doc
	for key := range strings.SplitSeq(pointer[1:], "/") {
		node, _ = node[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)].(map[string]any)
	}
	return node
}

// Description returns the description of this program.
func Description() (*Described, error) { return description() }

// description is built once for all tests.
var description = sync.OnceValues(func() (*Described, error) {
	text, err := openapi.Document()
	if err != nil {
		return nil, err
	}
	d := &Described{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
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

// WantDescribed checks that an answer over HTTP matches the document. The bodies of large
// answers are not checked.
func WantDescribed(t testing.TB, r Route, got Reply) {
	t.Helper()
	const large = 1 << 20
	kind := got.Header.Get("Content-Type")
	if len(got.Body) > large || r.Path == "" {
		return
	}
	d, err := description()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := d.Response(r, got.Status, kind)
	if err != nil {
		t.Errorf("%s %s = %d %s %.300s, which is not described: %v", r.Method, r.Path, got.Status, kind, got.Body, err)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(got.Body))
	if kind == "application/x-pem-file" {
		value, err = string(got.Body), nil
	}
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s %s = %d %.1000s, which is not what is described: %v", r.Method, r.Path, got.Status, got.Body, err)
	}
}

// EscapePointer returns a key as a JSON pointer holds it.
func EscapePointer(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

// Response returns the schema of an answer.
func (d *Described) Response(r Route, status int, kind string) (*jsonschema.Schema, error) {
	pointer := fmt.Sprintf("/paths/%s/%s/responses/%d", EscapePointer(r.Path), strings.ToLower(r.Method), status)
	response := d.Find(pointer)
	if response == nil {
		return nil, fmt.Errorf("there is no %s", pointer)
	}
	if ref, ok := response["$ref"].(string); ok {
		pointer = strings.TrimPrefix(ref, "#")
	}
	return d.compiled(pointer + "/content/" + EscapePointer(kind) + "/schema")
}

// RequestBody returns the schema of an operation's body.
func (d *Described) RequestBody(r Route) (*jsonschema.Schema, error) {
	return d.compiled(fmt.Sprintf("/paths/%s/%s/requestBody/content/application~1json/schema",
		EscapePointer(r.Path), strings.ToLower(r.Method)))
}
