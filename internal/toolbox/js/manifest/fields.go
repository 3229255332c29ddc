package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/tool"
)

// fields maps the fields of an entry, by their names in snake_case, to their
// destinations.
var fields = map[string]func(*draft) any{
	"name":                  func(d *draft) any { return &d.Definition.Name },
	"description":           func(d *draft) any { return &d.Definition.Description },
	"function":              func(d *draft) any { return &d.Function },
	"env":                   func(d *draft) any { return &d.Env },
	"category":              func(d *draft) any { return &d.Definition.Category },
	"group":                 func(d *draft) any { return &d.Definition.Group },
	"version":               func(d *draft) any { return &d.Definition.Version },
	"parameters":            func(d *draft) any { return &d.Definition.Parameters },
	"result_schema":         func(d *draft) any { return &d.Definition.ResultSchema },
	"risk":                  func(d *draft) any { return &d.Definition.Risk },
	"confirmation":          func(d *draft) any { return &d.Definition.Confirmation },
	"requires_confirmation": func(d *draft) any { return &d.Definition.RequiresConfirmation },
	"mutates":               func(d *draft) any { return &d.Definition.Mutates },
	"destructive":           func(d *draft) any { return &d.Definition.Destructive },
	"idempotent":            func(d *draft) any { return &d.Definition.Idempotent },
	"durable":               func(d *draft) any { return &d.Definition.Durable },
	"tools":                 func(d *draft) any { return &d.Definition.Tools },
	"open_world":            func(d *draft) any { return &d.Definition.OpenWorld },
	"scopes":                func(d *draft) any { return &d.Definition.Scopes },
	"required_permissions":  func(d *draft) any { return &d.Definition.RequiredPermissions },
	"timeout_seconds":       func(d *draft) any { return &d.Definition.TimeoutSeconds },
	"limit":                 func(d *draft) any { return &d.Definition.Limit },
	"tags":                  func(d *draft) any { return &d.Definition.Tags },
	"pool":                  func(d *draft) any { return &d.Definition.Pool },
	"kind":                  func(d *draft) any { return &d.Definition.Kind },
	"enabled":               func(d *draft) any { return &d.Definition.Enabled },
}

// spellings maps every accepted spelling to the field's name.
var spellings = func() map[string]string {
	all := map[string]string{"args_schema": "parameters", "argsSchema": "parameters"}
	for name := range fields {
		all[name], all[camel(name)] = name, name
	}
	return all
}()

func camel(snake string) string {
	words := strings.Split(snake, "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// read stores the members of an entry, which is valid JSON.
func (d *draft) read(raw []byte) {
	if kind := jsontext.Value(raw).Kind(); kind != '{' {
		d.failf("expected an object, got %s", kindName(kind))
		d.given = nil
		return
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() == '"' {
		var key jsontext.Token
		var value jsontext.Value
		if key, err = dec.ReadToken(); err != nil {
			break
		}
		spelled := key.String()
		if value, err = dec.ReadValue(); err == nil {
			d.member(spelled, bytes.Clone(value))
		}
	}
	if err != nil { // Strict has accepted it, so this is a bug of ours
		d.failf("not valid JSON: %s", err)
	}
}

func (d *draft) member(spelled string, value jsontext.Value) {
	name, known := spellings[spelled]
	if !known {
		d.unknown(spelled)
		return
	}
	if before, twice := d.given[name]; twice {
		d.failf("%s is given twice, as %s and as %s; keep one", name, before, spelled)
		return
	}
	d.given[name] = spelled
	if problem := d.decode(name, spelled, value); problem != "" {
		d.failf("%s", problem)
		d.given[name] = broken
	}
}

// decode stores a value, or reports its problem and keeps the default.
func (d *draft) decode(name, spelled string, value jsontext.Value) (problem string) {
	place := reflect.ValueOf(fields[name](d)).Elem()
	if value.Kind() == 'n' {
		return spelled + ": expected " + expected(place.Type()) + ", got null; leave it out"
	}
	if expected(place.Type()) == "object" && value.Kind() != '{' {
		return spelled + ": expected object, got " + kindName(value.Kind())
	}
	fresh := reflect.New(place.Type())
	fresh.Elem().Set(place)
	if err := jsonv2.Unmarshal(value, fresh.Interface(), jsonv2.RejectUnknownMembers(true)); err != nil {
		return explain(spelled, value, err)
	}
	place.Set(fresh.Elem())
	return ""
}

// broken marks the spelling of a field whose value was invalid.
const broken = "(broken)"

// sound reports whether the given value of a field was valid.
func (d *draft) sound(name string) bool { return d.given[name] != broken }

// explain describes a decoding error: the place, the expected type, the actual one.
func explain(field string, value jsontext.Value, err error) string {
	refused, ok := errors.AsType[*jsonv2.SemanticError](err)
	if !ok {
		return field + ": expected something else: " + clip(err.Error())
	}
	var path strings.Builder
	path.WriteString(field)
	for token := range refused.JSONPointer.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 31); err == nil {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + clip(token))
		}
	}
	at := path.String()
	if errors.Is(err, jsonv2.ErrUnknownName) {
		return at + ": unknown field; " + meant(refused.JSONPointer.LastToken(), members(refused.GoType))
	}
	got := refused.JSONKind
	if got == 0 {
		got = value.Kind()
	}
	return at + ": expected " + expected(refused.GoType) + ", got " + kindName(got)
}

func expected(t reflect.Type) string {
	if t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[*tool.Limit]() {
		return "object"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array of strings"
	default:
		return "object"
	}
}

// members returns the JSON names of a struct's fields.
func members(t reflect.Type) map[string]string {
	all := map[string]string{}
	for f := range t.Fields() {
		name := f.Tag.Get("json")
		all[name] = name
	}
	return all
}
