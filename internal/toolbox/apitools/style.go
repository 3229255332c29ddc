package apitools

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
)

// member is a member of an object, in the order of the caller.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object; nil for any other value.
func membersOf(raw json.RawMessage) []member {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	list := []member{}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return list
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return list
		}
		list = append(list, member{key, json.RawMessage(bytes.Clone(value))})
	}
	return list
}

// itemsOf returns the items of a list; ok is false for any other value.
func itemsOf(raw json.RawMessage) (list []json.RawMessage, ok bool) {
	return list, len(raw) > 0 && raw[0] == '[' && jsonv2.Unmarshal(raw, &list) == nil
}

// plainly returns a value as a text: a string as it is, anything else as JSON.
func plainly(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && jsonv2.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// simple writes a value in the styles of paths and headers: simple, label and matrix.
func simple(name string, raw json.RawMessage, e apidoc.Encoding, escape func(string) string) string {
	var prefix, separator string
	switch e.Style {
	case "label":
		prefix, separator = ".", "."
	case "matrix":
		prefix, separator = ";"+escape(name)+"=", ","
	default:
		separator = ","
	}
	if list, ok := itemsOf(raw); ok {
		texts := make([]string, len(list))
		for i, item := range list {
			texts[i] = escape(plainly(item))
		}
		if e.Style == "matrix" && e.Explode {
			separator = prefix
		}
		return prefix + strings.Join(texts, separator)
	}
	members := membersOf(raw)
	if members == nil {
		return prefix + escape(plainly(raw))
	}
	if e.Style == "matrix" && e.Explode {
		prefix, separator = ";", ";"
	}
	texts := make([]string, len(members))
	for i, m := range members {
		between := separator
		if e.Explode {
			between = "="
		} else if e.Style == "matrix" {
			between = ","
		}
		texts[i] = escape(m.name) + between + escape(plainly(m.value))
	}
	return prefix + strings.Join(texts, separator)
}

// pair is a name and a value of a query or a form, not yet escaped. Between are the
// values of a list that one pair has, which a separator joins.
type pair struct {
	name     string
	values   []string
	joint    string
	reserved bool // reserved characters stay as they are
}

// pairs writes a value in the styles of queries and forms.
func pairs(name string, raw json.RawMessage, e apidoc.Encoding) []pair {
	joint := ","
	switch e.Style {
	case "spaceDelimited":
		joint = "%20"
	case "pipeDelimited":
		joint = "|"
	}
	one := func(name string, values ...string) pair { return pair{name, values, joint, e.AllowReserved} }
	if list, ok := itemsOf(raw); ok {
		texts := make([]string, len(list))
		for i, item := range list {
			texts[i] = plainly(item)
		}
		if !e.Explode || len(texts) == 0 {
			return []pair{one(name, texts...)}
		}
		var all []pair
		for _, text := range texts {
			all = append(all, one(name, text))
		}
		return all
	}
	members := membersOf(raw)
	switch {
	case members == nil:
		return []pair{one(name, plainly(raw))}
	case e.Style == "deepObject":
		return deep(name, raw, 0, one)
	}
	var all []pair
	var flat []string
	for _, m := range members {
		all = append(all, one(m.name, plainly(m.value)))
		flat = append(flat, m.name, plainly(m.value))
	}
	if e.Explode {
		return all
	}
	return []pair{one(name, flat...)}
}

// deep writes the members of an object as name[member], and the items of a list in it as
// pairs of the same name.
func deep(name string, raw json.RawMessage, depth int, one func(string, ...string) pair) []pair {
	const deepest = 10
	members := membersOf(raw)
	if members == nil || depth > deepest {
		if list, ok := itemsOf(raw); ok {
			var all []pair
			for _, item := range list {
				all = append(all, one(name, plainly(item)))
			}
			return all
		}
		return []pair{one(name, plainly(raw))}
	}
	var all []pair
	for _, m := range members {
		all = append(all, deep(name+"["+m.name+"]", m.value, depth+1, one)...)
	}
	return all
}

// query writes pairs as the query of a URL.
func query(list []pair) string {
	var parts []string
	for _, p := range list {
		texts := make([]string, len(p.values))
		for i, v := range p.values {
			texts[i] = url.QueryEscape(v)
			if p.reserved {
				texts[i] = reserved(v)
			}
		}
		parts = append(parts, url.QueryEscape(p.name)+"="+strings.Join(texts, p.joint))
	}
	return strings.Join(parts, "&")
}

// reserved escapes a value of a query, but for the characters that RFC 3986 reserves and
// that do not end the value.
func reserved(text string) string {
	const kept = ":/?[]@!$'()*,;"
	var w strings.Builder
	for _, b := range []byte(text) {
		if slices.Contains([]byte(kept), b) {
			w.WriteByte(b)
		} else {
			w.WriteString(url.QueryEscape(string([]byte{b})))
		}
	}
	return w.String()
}
