package openapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/helve-dev/helve/internal/server/api"
)

// tree is a JSON object.
type tree = map[string]any

func document(t testing.TB) tree {
	t.Helper()
	text, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc tree
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at returns the value at a path of keys.
func at(doc any, path ...string) any {
	for _, key := range path {
		object, ok := doc.(tree)
		if !ok {
			return nil
		}
		doc = object[key]
	}
	return doc
}

// TestEveryOperationHasItsPlace: the table and the document are the same list.
func TestEveryOperationHasItsPlace(t *testing.T) {
	want := map[string]string{result: "GET /v1/calls/{call_id}/result"}
	for _, op := range api.Operations() {
		want[op.Name] = op.Method + " " + op.Path
	}
	got := map[string]string{}
	paths, _ := at(document(t), "paths").(tree)
	for path, item := range paths {
		methods, _ := item.(tree)
		for method, op := range methods {
			name, _ := at(op, "operationId").(string)
			got[name] = strings.ToUpper(method) + " " + path
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document differs from the table (-table +document):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(rows))); diff != "" {
		t.Errorf("the rows differ from the table:\n%s", diff)
	}
}

// TestParameters: what an operation takes is in the document, and the reverse.
func TestParameters(t *testing.T) {
	doc := document(t)
	for _, op := range api.Operations() {
		described := at(doc, "paths", op.Path, strings.ToLower(op.Method))
		list, _ := at(described, "parameters").([]any)
		var got []string
		for _, p := range list {
			if name, ok := at(p, "name").(string); ok {
				got = append(got, name)
				if in := at(p, "in"); (in == "path") != strings.Contains(op.Path, "{"+name+"}") {
					t.Errorf("%s takes %s in %v", op.Name, name, in)
				}
			}
		}
		if diff := cmp.Diff(op.Params, got); diff != "" {
			t.Errorf("%s takes other parameters (-table +document):\n%s", op.Name, diff)
		}
		if body := at(described, "requestBody"); (body != nil) != (op.Body || rows[op.Name].takes != "") {
			t.Errorf("%s has the body %v, want one: %v", op.Name, body, op.Body)
		}
		summary, _ := at(described, "summary").(string)
		succeeds := at(described, "responses", "200", "description") != nil
		for status := range rows[op.Name].done {
			succeeds = succeeds || at(described, "responses", strconv.Itoa(status), "description") != nil
		}
		if summary == "" || !succeeds {
			t.Errorf("%s is not described: %v", op.Name, described)
		}
	}
}

// TestNothingIsLeftOver: each table of this package speaks of what there is.
func TestNothingIsLeftOver(t *testing.T) {
	doc := document(t)
	schemas, _ := at(doc, "components", "schemas").(tree)
	for name := range schemaTexts {
		if schemas[name] == nil {
			t.Errorf("there is no schema %s to describe", name)
		}
	}
	for key := range forms {
		name, field, _ := strings.Cut(key, ".")
		if at(schemas, name, "properties", field) == nil {
			t.Errorf("there is no field %s to give a form", key)
		}
	}
	taken := map[string]bool{}
	for _, op := range api.Operations() {
		group, _, _ := strings.Cut(op.Name, ".")
		for _, name := range op.Params {
			if _, ok := params[group+"."+name]; ok {
				name = group + "." + name
			}
			taken[name] = true
		}
	}
	for name := range params {
		if !taken[name] {
			t.Errorf("no operation takes the parameter %s", name)
		}
	}
}

// TestSchemas: each is JSON Schema 2020-12, as OpenAPI 3.1 asks, and each example
// is valid under its schema.
func TestSchemas(t *testing.T) {
	doc := document(t)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("helve:doc", doc); err != nil {
		t.Fatal(err)
	}
	checked := 0
	var walk func(pointer string, node any)
	walk = func(pointer string, node any) {
		switch node := node.(type) {
		case []any:
			return // parameters have no examples
		case tree:
			for key, value := range node {
				below := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key)
				if key != "schema" {
					walk(below, value)
					continue
				}
				schema, err := c.Compile("helve:doc#" + below)
				if err != nil {
					t.Errorf("%s is no schema: %v", below, err)
					continue
				}
				examples, _ := node["examples"].(tree)
				for name, example := range examples {
					checked++
					if err := schema.Validate(asGiven(t, at(example, "value"))); err != nil {
						t.Errorf("%s: the example %s is not of its schema: %v", pointer, name, err)
					}
				}
			}
		}
	}
	walk("/paths", doc["paths"])
	if checked < 10 {
		t.Errorf("%d examples were checked, want all of them", checked)
	}
}

// asGiven is a value as the validator reads it.
func asGiven(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	given, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return given
}

// TestRequestsHaveNoDefaults: generators of clients make a property with a default
// a required property.
func TestRequestsHaveNoDefaults(t *testing.T) {
	doc := document(t)
	var walk func(pointer string, node any)
	walk = func(pointer string, node any) {
		schema, ok := node.(tree)
		if !ok {
			return
		}
		if _, holds := schema["default"]; holds && !strings.HasSuffix(pointer, "/properties") {
			t.Errorf("%s has a default; name it in the description", pointer)
		}
		for name, below := range schema {
			walk(pointer+"/"+name, below)
		}
	}
	walk("", at(doc, "components", "schemas"))
}

// TestDocumentIsSteady: replicas must agree on its ETag.
func TestDocumentIsSteady(t *testing.T) {
	first, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if again, err := Document(); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("a second document differs from the first: %v", err)
		}
	}
}

func BenchmarkDocument(b *testing.B) {
	for b.Loop() {
		if _, err := Document(); err != nil {
			b.Fatal(err)
		}
	}
}
