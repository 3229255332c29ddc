package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// SchemaOf returns the JSON Schema of the parameters that T, a struct,
// describes. A field is a parameter under its json name. It is required unless
// its json tag has omitempty or omitzero or it has a default. Further tags:
//
//	doc:"one sentence for the model"
//	enum:"a,b,c"          allowed values of a string, or of the strings of an array
//	default:"..."         a JSON value, or for strings the bare text
//	min:"1" max:"50"      bounds of a number, of a string's length, of an array's size
//	secret:"true"         the value is never shown to a person nor recorded (writeOnly in the schema)
//	alias:"old,other"     other names that callers may use; the schema lists only the json name
//
// Properties keep the order of the fields. The schema uses only what every model
// provider accepts: no references, no unions. Aliases are for fields of T itself, not
// for those of a nested struct.
func SchemaOf[T any]() (json.RawMessage, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a struct", t)
	}
	return schemaOf(t)
}

// resultSchemaOf is SchemaOf for any result type; a result of any shape has no schema.
func resultSchemaOf[T any]() (json.RawMessage, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
		return nil, nil
	}
	return schemaOf(t)
}

func schemaOf(t reflect.Type) (json.RawMessage, error) {
	var w bytes.Buffer
	if err := writeSchema(&w, t, "", 0); err != nil {
		return nil, err
	}
	return w.Bytes(), nil
}

// maxSchemaDepth is the depth at which recursive types are refused.
const maxSchemaDepth = 16

func writeSchema(w *bytes.Buffer, t reflect.Type, tags reflect.StructTag, depth int) error {
	if depth > maxSchemaDepth {
		return fmt.Errorf("%s is nested too deeply, or contains itself", t)
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	typ, format, err := jsonType(t)
	if err != nil {
		return err
	}
	w.WriteByte('{')
	if typ != "" {
		fmt.Fprintf(w, `"type":%q`, typ)
	}
	if format != "" {
		fmt.Fprintf(w, `,"format":%q`, format)
	}
	if err := writeTags(w, typ, tags); err != nil {
		return err
	}
	switch {
	case typ == "array":
		w.WriteString(`,"items":`)
		if err := writeSchema(w, t.Elem(), itemTags(tags), depth+1); err != nil {
			return err
		}
	case typ == "object" && t.Kind() == reflect.Struct:
		if err := writeProperties(w, t, depth); err != nil {
			return err
		}
	case typ == "object" && t.Kind() == reflect.Map && t.Elem().Kind() != reflect.Interface:
		w.WriteString(`,"additionalProperties":`)
		if err := writeSchema(w, t.Elem(), "", depth+1); err != nil {
			return err
		}
	}
	w.WriteByte('}')
	return nil
}

// itemTags returns the tags of an array that describe its items.
func itemTags(tags reflect.StructTag) reflect.StructTag {
	if enum := tags.Get("enum"); enum != "" {
		return reflect.StructTag("enum:" + strconv.Quote(enum))
	}
	return ""
}

// jsonType maps a Go type to a JSON Schema type. An empty type means any value.
func jsonType(t reflect.Type) (typ, format string, err error) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return "string", "date-time", nil
	case reflect.TypeFor[json.RawMessage]():
		return "", "", nil
	case reflect.TypeFor[Number]():
		return "number", "", nil
	case reflect.TypeFor[Object]():
		return "object", "", nil
	case reflect.TypeFor[[]byte]():
		return "string", "", nil // as encoding/json: base64
	}
	switch t.Kind() {
	case reflect.String:
		return "string", "", nil
	case reflect.Bool:
		return "boolean", "", nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer", "", nil
	case reflect.Float32, reflect.Float64:
		return "number", "", nil
	case reflect.Slice, reflect.Array:
		return "array", "", nil
	case reflect.Struct, reflect.Map:
		return "object", "", nil
	case reflect.Interface:
		return "", "", nil
	default:
		return "", "", fmt.Errorf("%s has no JSON form", t)
	}
}

func writeProperties(w *bytes.Buffer, t reflect.Type, depth int) error {
	var required []string
	w.WriteString(`,"properties":{`)
	first := true
	for _, f := range fields(t) {
		name, optional, skip := fieldName(f)
		if skip {
			continue
		}
		if !first {
			w.WriteByte(',')
		}
		first = false
		if _, has := f.Tag.Lookup("alias"); has && depth > 0 {
			return fmt.Errorf("%s: only a parameter can have an alias, not a field within one", name)
		}
		fmt.Fprintf(w, "%q:", name)
		if err := writeSchema(w, f.Type, f.Tag, depth+1); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, hasDefault := f.Tag.Lookup("default"); !optional && !hasDefault {
			required = append(required, name)
		}
	}
	w.WriteByte('}')
	if len(required) > 0 {
		list, err := json.Marshal(required)
		if err != nil {
			return err
		}
		w.WriteString(`,"required":`)
		w.Write(list)
	}
	return nil
}

// fields returns the fields of a struct. As in encoding/json, those of a struct
// embedded without a JSON name count as its own.
func fields(t reflect.Type) []reflect.StructField {
	var all []reflect.StructField
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			all = append(all, fields(f.Type)...)
			continue
		}
		all = append(all, f)
	}
	return all
}

func fieldName(f reflect.StructField) (name string, optional, skip bool) {
	tag := f.Tag.Get("json")
	if tag == "-" || !f.IsExported() {
		return "", false, true
	}
	name, opts, _ := strings.Cut(tag, ",")
	if name == "" {
		name = f.Name
	}
	return name, strings.Contains(opts, "omitempty") || strings.Contains(opts, "omitzero"), false
}

// writeTags writes description, secret mark, enum, bounds and default of a field.
func writeTags(w *bytes.Buffer, typ string, tags reflect.StructTag) error {
	if doc := tags.Get("doc"); doc != "" {
		if err := writeMember(w, "description", doc); err != nil {
			return err
		}
	}
	if secret, ok := tags.Lookup("secret"); ok {
		if secret != "true" {
			return fmt.Errorf("secret:%q must be secret:\"true\" or absent", secret)
		}
		if err := writeMember(w, "writeOnly", true); err != nil {
			return err
		}
	}
	if enum := tags.Get("enum"); enum != "" && typ != "array" {
		if err := writeMember(w, "enum", strings.Split(enum, ",")); err != nil {
			return err
		}
	}
	bounds := map[string][2]string{
		"integer": {"minimum", "maximum"},
		"number":  {"minimum", "maximum"},
		"string":  {"minLength", "maxLength"},
		"array":   {"minItems", "maxItems"},
	}
	for i, tag := range []string{"min", "max"} {
		bound := tags.Get(tag)
		if bound == "" {
			continue
		}
		if _, err := strconv.ParseFloat(bound, 64); err != nil || bounds[typ][i] == "" {
			return fmt.Errorf("%s:%q does not fit type %s", tag, bound, typ)
		}
		fmt.Fprintf(w, ",%q:%s", bounds[typ][i], bound)
	}
	if def, ok := tags.Lookup("default"); ok {
		if typ == "string" {
			return writeMember(w, "default", def)
		}
		if !json.Valid([]byte(def)) {
			return fmt.Errorf("default:%q is not JSON", def)
		}
		return writeMember(w, "default", json.RawMessage(def))
	}
	return nil
}

// writeMember adds a member to the object at the end of w.
func writeMember(w *bytes.Buffer, key string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if !bytes.HasSuffix(w.Bytes(), []byte("{")) {
		w.WriteByte(',')
	}
	fmt.Fprintf(w, "%q:%s", key, raw)
	return nil
}
