package apitools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/jsonx/schema"
)

// TestLargeSchema: a schema that is too large keeps its parameters and loses its deepest
// parts, and says so; what was cut accepts anything.
func TestLargeSchema(t *testing.T) {
	t.Parallel()
	note := strings.Repeat("long ", 150)
	deep := fmt.Sprintf("{type: string, description: %q}", note)
	for range 4 {
		var fields []string
		for i := range 5 {
			fields = append(fields, fmt.Sprintf("f%d: %s", i, deep))
		}
		deep = "{type: object, additionalProperties: false, description: " + note + ", properties: {" + strings.Join(fields, ", ") + "}}"
	}
	w := newWorld(t, `
  /r: {post: {operationId: big, requestBody: {required: true, content: {application/json: {schema: {type: object, required: [model], properties: {model: {type: string}, input: `+deep+`}}}}}}}
`, nil)
	params := w.offers["big"].def.Parameters
	if len(params) > maxParameters || len(params) < 10_000 || !strings.Contains(string(params), cutNote) ||
		!strings.Contains(string(params), `"required":["model"]`) {
		t.Errorf("the schema has %d bytes: %.300s", len(params), params)
	}
	s, err := schema.Compile(params)
	if err != nil {
		t.Fatal(err)
	}
	for args, ok := range map[string]bool{
		`{"model": "m", "input": {"f0": {"f1": {"f2": {"f3": 7}}}}}`: true,
		`{"model": 7}`: false, `{"model": "m", "input": {"other": 1}}`: false,
	} {
		if _, err := s.Prepare([]byte(args)); (err == nil) != ok {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestManyLongNotes: where nothing is deep, descriptions are shortened.
func TestManyLongNotes(t *testing.T) {
	t.Parallel()
	props := map[string]any{}
	for i := range 400 {
		props[fmt.Sprintf("p%d", i)] = map[string]any{"type": "string", "description": strings.Repeat("x", 1000)}
	}
	raw, err := within(map[string]any{"type": "object", "properties": props, "required": []string{"p1"}}, maxParameters)
	if err != nil || len(raw) > maxParameters || !strings.Contains(string(raw), `"required":["p1"]`) {
		t.Errorf("the schema has %d bytes, %v", len(raw), err)
	}
	if _, err := schema.Compile(raw); err != nil {
		t.Error(err)
	}
	if _, err := within(map[string]any{"type": "object", "properties": props}, 1000); err == nil {
		t.Error("400 parameters have 1000 bytes")
	}
}

// TestFilesInAlternatives: a field that is a file in one of its alternatives takes a path.
func TestFilesInAlternatives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
  /edits: {post: {operationId: edit, requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {
    image: {anyOf: [{type: string, format: binary}, {type: array, items: {type: string, format: binary}}]}, mask: {allOf: [{type: string, format: binary}]}, prompt: {type: string}}}}}}}}
`, nil)
	w.files["a.png"], w.files["b.png"] = "AAAA", "BBBB"
	for args, want := range map[string][]string{
		`{"image": "a.png", "prompt": "a.png"}`: {`name="image"; filename="a.png"`, "AAAA", "\r\n\r\na.png"},
		`{"image": ["a.png", "b.png"], "mask": "b.png"}`: {
			`filename="a.png"`, "AAAA", `name="image"; filename="b.png"`, `name="mask"; filename="b.png"`, "BBBB",
		},
	} {
		if _, err := w.call("edit", args); err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		for _, part := range want {
			if body := w.last().body; !strings.Contains(body, part) {
				t.Errorf("%s was sent as %s, want %q", args, body, part)
			}
		}
	}
}
