package apidoc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// hostileMerges is an object of forty mappings, each of which merges the one before twice.
func hostileMerges() string {
	text := "{x0: &x0 {a: 1}"
	for i := range 40 {
		text += fmt.Sprintf(", x%d: &x%d {<<: [*x%d, *x%d]}", i+1, i+1, i, i)
	}
	return text + "}"
}

// posting is a document whose only operation has a JSON body of a schema.
func posting(schema, components string) string {
	return withPaths("  /a: {post: {operationId: a, requestBody: {content: {application/json: {schema: "+schema+"}}}}}\n") + "components: " +
		components + "\n"
}

// TestBombsInData: what grows without end when it is expanded refuses a document also where
// only data is expected, because references lead there.
func TestBombsInData(t *testing.T) {
	t.Parallel()
	bomb := hostileMerges()
	for name, text := range map[string]string{
		"an extension": posting("{$ref: '#/components/x-s/x40'}", "{x-s: "+bomb+"}"),
		"an enum":      posting("{enum: ["+bomb+"]}", "{}"),
		"a property":   posting("{properties: {default: "+bomb+"}}", "{}"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if doc, err := Read([]byte(text), all); err == nil || !strings.Contains(err.Error(), "with its aliases expanded") {
				t.Errorf("Read = %v, %v, want a refusal", doc, err)
			}
		})
	}
}

// TestLongServer: the variables of a server cannot make an address that takes all memory.
func TestLongServer(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, url := range []string{"https://" + strings.Repeat("{a}", mib), "https://a.example/{a}", strings.Repeat("{a}", 500)} {
		doc := read(t,
			fmt.Sprintf("openapi: 3.0.0\nservers: [{url: '%s', variables: {a: {default: '%s'}}}]\npaths: {}\n", url, strings.Repeat("{a}", mib)))
		if doc.Server != "" {
			t.Errorf("the server of %.30s has %d bytes", url, len(doc.Server))
		}
	}
}

// TestSharedParts: a part that is large and that thousands of operations share costs each of
// them little.
func TestSharedParts(t *testing.T) {
	t.Parallel()
	const operations = 500
	wide := func(n int, member string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, member+",", i)
		}
		return b.String()
	}
	grows := ""
	for i := range 20 {
		grows += fmt.Sprintf(
			", F%d: {allOf: [{$ref: '#/components/schemas/F%d'}, {$ref: '#/components/schemas/F%[2]d'}, {$ref: '#/components/schemas/F%[2]d'}]}", i,
			i+1,
		)
	}
	for name, tt := range map[string]struct{ operation, components, more string }{
		"fields of a form": {
			"requestBody: {$ref: '#/components/requestBodies/B'}",
			"requestBodies: {B: {content: {multipart/form-data: {schema: {properties: {" + wide(50_000, "f%d: {}") + "}}}}}}", "",
		},
		"encodings of a form": {
			"requestBody: {$ref: '#/components/requestBodies/B'}",
			"requestBodies: {B: {content: {multipart/form-data: {encoding: {" + wide(50_000, "f%d: {}") + "}}}}}", "",
		},
		"parts of a form": {
			"requestBody: {content: {multipart/form-data: {schema: {$ref: '#/components/schemas/F0'}}}}", "schemas: {F20: {}" + grows + "}", "",
		},
		"keywords of a schema": {
			"requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}",
			"schemas: {S: {" + wide(50_000, "x-%d: 1") + "}}", "",
		},
		"alternatives":     {"deprecated: true", "", "security: [" + wide(50_000, "{a%d: []}") + "]\n"},
		"schemes together": {"deprecated: true", "", "security: [{" + wide(50_000, "a%d: []") + "}]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paths := &strings.Builder{}
			for i := range operations {
				fmt.Fprintf(paths, "  /p%04d: {post: {operationId: p%[1]d, %s}}\n", i, tt.operation)
			}
			doc := read(t, withPaths(paths.String())+tt.more+"components: {"+tt.components+"}\n")
			if len(doc.Operations)+len(doc.LeftOut) != operations {
				t.Errorf("%d operations and %d left out", len(doc.Operations), len(doc.LeftOut))
			}
			for _, l := range doc.LeftOut {
				if !strings.Contains(l.Reason, "more than 1000 members") {
					t.Errorf("%s is left out: %s", l.Operation, l.Reason)
				}
			}
			if name == "keywords of a schema" && len(doc.LeftOut) != operations {
				t.Errorf("%d operations are left out, want all", len(doc.LeftOut))
			}
			for _, op := range doc.Operations {
				size := len(op.Tags) + len(slices.Concat(op.Security...)) + len(op.Parameters)
				if op.Body != nil {
					size += len(op.Body.Fields) + len(op.Body.Files) + len(slices.Collect(maps.Keys(op.Body.Schema)))
				}
				if size > 4*maxWide {
					t.Fatalf("%s has %d parts", op.ID, size)
				}
			}
		})
	}
}
