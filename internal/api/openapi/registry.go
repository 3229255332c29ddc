package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/upstream/pins"
	"github.com/helve-dev/helve/tool"
)

// names are those of types whose own name says too little outside their package.
var names = map[reflect.Type]string{
	reflect.TypeFor[audit.Decision]():  "AuditDecision",
	reflect.TypeFor[audit.Page]():      "AuditPage",
	reflect.TypeFor[audit.Problem]():   "AuditProblem",
	reflect.TypeFor[audit.Record]():    "AuditRecord",
	reflect.TypeFor[audit.Report]():    "AuditReport",
	reflect.TypeFor[audit.Result]():    "AuditResult",
	reflect.TypeFor[bus.Ref]():         "ResultRef",
	reflect.TypeFor[catalog.Stats]():   "GroupStats",
	reflect.TypeFor[consent.Call]():    "ConsentCall",
	reflect.TypeFor[consent.Request](): "Consent",
	reflect.TypeFor[pins.Entry]():      "UpstreamTool",
	reflect.TypeFor[tool.Contexts]():   "ToolContexts",
	reflect.TypeFor[tool.Definition](): "Tool",
	reflect.TypeFor[tool.Limit]():      "ToolLimit",
	reflect.TypeFor[tool.Scopes]():     "Scopes",
	reflect.TypeFor[bus.Element]():     "Result",
}

func newRegistry() huma.Registry {
	r := huma.NewMapRegistry(schemaPrefix, func(t reflect.Type, hint string) string {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if name, ok := names[t]; ok {
			return name
		}
		return huma.DefaultSchemaNamer(t, hint)
	})
	r.RegisterTypeAlias(reflect.TypeFor[jsontext.Value](), reflect.TypeFor[json.RawMessage]())
	alias[audit.Kind](r)
	alias[audit.Phase](r)
	alias[consent.Remember](r)
	alias[consent.Status](r)
	alias[tool.Confirmation](r)
	alias[tool.Kind](r)
	alias[tool.Risk](r)
	return r
}

// schema is the one of a value's type; nil is any value.
func (b *builder) schema(of any) *huma.Schema {
	if of == nil {
		return &huma.Schema{}
	}
	return b.schemas.Schema(reflect.TypeOf(of), true, "")
}

// explain completes the schemas: every field has its sentence, and lists are
// never null. Objects are left open.
func (b *builder) explain() error {
	all := b.schemas.Map()
	for name, schema := range all {
		schema.AdditionalProperties = nil
		schema.Description = schemaTexts[name]
		if schema.Description == "" {
			return fmt.Errorf("the schema %s is not described", name)
		}
		texts := fieldTexts[name]
		if texts == nil {
			texts = gateTexts[name]
		}
		for field, property := range schema.Properties {
			key := name + "." + field
			property.Description = cmp.Or(property.Description, texts[field])
			if property.Description == "" {
				return fmt.Errorf("the field %s is not described", key)
			}
			if property.Type == huma.TypeArray {
				property.Nullable = false
			}
			if property.Type != huma.TypeString { // a number of JSON has no width, and clients must not make one up
				property.Format = ""
			}
			if list, ok := closed[key]; ok {
				property.Enum = list
			}
		}
		for field := range texts {
			if schema.Properties[field] == nil {
				return fmt.Errorf("%s has no field %s to describe", name, field)
			}
		}
	}
	// A record is put as a whole, but its lists may be left out.
	all["AgentRules"].Required = nil
	for _, e := range enums {
		all[e.name] = &huma.Schema{Type: huma.TypeString, Description: e.about, Enum: e.values}
	}
	return nil
}

// enum stands for a type that is a closed set of strings.
type enum[T ~string] struct{}

// Schema implements [huma.SchemaProvider].
func (enum[T]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Ref: schemaPrefix + enums[reflect.TypeFor[T]()].name}
}

func alias[T ~string](r huma.Registry) {
	r.RegisterTypeAlias(reflect.TypeFor[T](), reflect.TypeFor[enum[T]]())
}
