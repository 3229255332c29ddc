package services

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxValue bounds a value, in bytes; a private key in PEM has some kilobytes.
	maxValue = 16 << 10
	// maxEntry bounds all values of an entry, so that an entry fits a message.
	maxEntry = 64 << 10
	// portField is the field that holds a port, in every service that has one.
	portField = "port"
)

// change is one field of services.set: a value, or keep, or remove.
type change struct {
	value        string
	keep, remove bool
}

// changeOf reads a value. Its errors do not contain the value.
func changeOf(name string, raw json.RawMessage) (c change, err error) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return c, bad(name, "must be text, a number or a boolean")
	}
	switch v := v.(type) {
	case nil:
		c.remove = true
	case string:
		c.value = v
	case bool, float64:
		c.value = strings.TrimSpace(string(raw))
	case map[string]any:
		if set, _ := v["set"].(bool); !set || len(v) != 1 {
			return c, bad(name, `must be text, a number or a boolean; {"set": true} keeps the stored value`)
		}
		c.keep = true
	default:
		return c, bad(name, "must be text, a number or a boolean")
	}
	return c, nil
}

func bad(field, problem string) error {
	return tool.Fail(tool.ValidationError, "the field %.64q %s", field, problem)
}

// apply returns the values of an entry after the changes, by field, and the names of the
// fields whose stored values it keeps.
func apply(
	s tool.Service, stored map[string]string, changes map[string]json.RawMessage, merge bool,
) (_ map[string]string, kept []string, _ error) {
	values, given := map[string]string{}, map[string]bool{}
	if merge {
		maps.Copy(values, stored)
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		f, err := fieldOf(s, name)
		if err != nil {
			return nil, nil, err
		}
		c, err := changeOf(name, changes[name])
		if err != nil {
			return nil, nil, err
		}
		old, had := stored[name]
		switch {
		case c.remove:
			delete(values, name)
		case c.keep && !had:
			return nil, nil, bad(name, "has no stored value to keep; give one")
		case c.keep:
			values[name] = old
		default:
			if err := checkValue(f, c.value); err != nil {
				return nil, nil, err
			}
			values[name], given[name] = c.value, true
		}
	}
	size := 0
	for name, value := range values {
		size += len(name) + len(value)
	}
	if size > maxEntry || len(values) > maxFields {
		return nil, nil, tool.Fail(tool.ValidationError, "the entry is too large: at most %d fields and %d bytes", maxFields, maxEntry)
	}
	for _, f := range s.Fields {
		if f.Required && values[f.Name] == "" {
			return nil, nil, bad(f.Name, "is required")
		}
	}
	if len(values) == 0 {
		return nil, nil, tool.Fail(tool.ValidationError, "fields has no values: give at least one field")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, had := stored[name]; had && !given[name] {
			kept = append(kept, name)
		}
	}
	return values, kept, nil
}

// fieldOf returns the field of a name. A custom service has every field, as text.
func fieldOf(s tool.Service, name string) (tool.ServiceField, error) {
	if f, known := s.Field(name); known {
		return f, nil
	}
	if len(s.Fields) == 0 && fieldForm.MatchString(name) {
		return tool.ServiceField{Name: name, Type: tool.FieldText, Secret: true}, nil
	}
	if len(s.Fields) == 0 {
		return tool.ServiceField{}, bad(name, "must begin with a letter and have at most 64 letters, digits, - and _")
	}
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	near := ""
	if utf8.RuneCountInString(name) <= 64 {
		near = hint(name, slices.Clone(names))
	}
	return tool.ServiceField{}, bad(name, "is not a field of "+s.Name+near+"; it has "+strings.Join(names, ", "))
}

// checkValue checks a value. Its errors do not contain the value.
func checkValue(f tool.ServiceField, value string) error {
	switch {
	case len(value) > maxValue:
		return bad(f.Name, "is longer than "+strconv.Itoa(maxValue)+" bytes")
	case !utf8.ValidString(value):
		return bad(f.Name, "is not UTF-8")
	case strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) ||
		!pem(value) && strings.ContainsAny(value, "\n\t"):
		return bad(f.Name, "has control characters, such as the end of a line; give the value without them")
	case len(f.Options) > 0 && !slices.Contains(f.Options, value):
		return bad(f.Name, "must be one of "+strings.Join(f.Options, ", "))
	}
	switch f.Type {
	case tool.FieldNumber:
		if _, err := strconv.ParseFloat(value, 64); err != nil || len(value) > 40 {
			return bad(f.Name, "must be a number")
		}
		if port, err := strconv.ParseUint(value, 10, 16); f.Name == portField && (err != nil || port == 0) {
			return bad(f.Name, "must be a port from 1 to 65535")
		}
	case tool.FieldBoolean:
		if value != "true" && value != "false" {
			return bad(f.Name, "must be true or false")
		}
	case tool.FieldURL:
		u, err := url.Parse(value)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
			return bad(f.Name, "must be an http or https address without user and password")
		}
	}
	return nil
}

// pem reports whether a value is a key or certificate in PEM, which has several lines.
func pem(value string) bool { return strings.HasPrefix(value, "-----BEGIN ") }

// shown returns a value as JSON for people: a secret only as set.
func shown(f tool.ServiceField, value string) json.RawMessage {
	if f.Secret {
		return json.RawMessage(`{"set":true}`)
	}
	if f.Type == tool.FieldBoolean || f.Type == tool.FieldNumber && json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, _ := json.Marshal(value)
	return text
}
