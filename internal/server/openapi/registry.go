package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/protocol"
)

// names are the schemas whose names differ from their types.
var names = map[reflect.Type]string{
	reflect.TypeFor[protocol.Owner]():             "CallOwner",
	reflect.TypeFor[protocol.OverloadedProblem](): "Overloaded",
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
	alias[protocol.AuditProblemKind](r)
	alias[protocol.AuditPhase](r)
	alias[protocol.Remember](r)
	alias[protocol.ConsentStatus](r)
	alias[protocol.Confirmation](r)
	alias[protocol.Kind](r)
	alias[protocol.Risk](r)
	return r
}

// schema returns the schema of a value's type; nil is any value.
func (b *builder) schema(of any) *huma.Schema {
	if of == nil {
		return &huma.Schema{}
	}
	return b.schemas.Schema(reflect.TypeOf(of), true, "")
}

// explain completes the schemas: lists are never null, and objects are left open. A
// field without a description is an error.
func (b *builder) explain() error {
	all := b.schemas.Map()
	for name, schema := range all {
		schema.AdditionalProperties = nil
		schema.Description = schemaTexts[name]
		if schema.Description == "" {
			return fmt.Errorf("the schema %s is not described", name)
		}
		for field, property := range schema.Properties {
			key := name + "." + field
			if property.Description == "" {
				return fmt.Errorf("the field %s is not described", key)
			}
			if property.Type == huma.TypeArray || !slices.Contains(schema.Required, field) {
				property.Nullable = false // an optional field without a value is left out
			}
			if property.Type != huma.TypeString { // a JSON number has no width, and clients must not assume one
				property.Format = ""
			}
			if form := forms[key]; form != nil {
				property.Type, property.AnyOf, property.Items, property.AdditionalProperties = form.Type, form.AnyOf, form.Items,
					form.AdditionalProperties
			}
		}
	}
	// A record is replaced as a whole, but its lists may be left out.
	all["AgentRules"].Required = nil
	for _, e := range enums {
		all[e.name] = &huma.Schema{Type: huma.TypeString, Description: e.about, Enum: e.values}
	}
	return nil
}

// enum represents a type that is a closed set of strings.
type enum[T ~string] struct{}

// Schema implements [huma.SchemaProvider].
func (enum[T]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Ref: schemaPrefix + enums[reflect.TypeFor[T]()].name}
}

func alias[T ~string](r huma.Registry) {
	r.RegisterTypeAlias(reflect.TypeFor[T](), reflect.TypeFor[enum[T]]())
}
