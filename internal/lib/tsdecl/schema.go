package tsdecl

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// keywords are the members of a schema; of those with the same name the last, as decoders
// take it. A schema that is no object has none.
type keywords map[string]jsontext.Value

func keywordsOf(schema jsontext.Value) keywords {
	all := keywords{}
	for quoted, value := range jsonwalk.EachMember(schema) {
		all[jsonwalk.Text(quoted)] = value
	}
	return all
}

// list returns the items of a keyword that has a list.
func (k keywords) list(name string) []jsontext.Value {
	if k[name].Kind() == '[' {
		return jsonwalk.Items(k[name])
	}
	return nil
}

// texts returns the texts in the list of a keyword.
func (k keywords) texts(name string) (texts []string) {
	for _, v := range k.list(name) {
		if v.Kind() == '"' {
			texts = append(texts, jsonwalk.Text(v))
		}
	}
	return texts
}

// text returns the text of a keyword, empty for any other value.
func (k keywords) text(name string) string {
	if k[name].Kind() == '"' {
		return jsonwalk.Text(k[name])
	}
	return ""
}

// has reports whether the schema has one of the keywords.
func (k keywords) has(names ...string) bool {
	for _, name := range names {
		if _, ok := k[name]; ok {
			return true
		}
	}
	return false
}

// member is a member of an object of schemas.
type member struct {
	name   string
	schema jsontext.Value
}

// members returns the schemas of a keyword in their order; of those with the same name the
// last.
func (k keywords) members(name string) []member {
	var all []member
	at := map[string]int{}
	for quoted, value := range jsonwalk.EachMember(k[name]) {
		name := jsonwalk.Text(quoted)
		if i, twice := at[name]; twice {
			all[i].schema = value
			continue
		}
		at[name] = len(all)
		all = append(all, member{name, value})
	}
	return all
}

// valid returns a schema without space around it, or true, the schema of everything, for
// what is not JSON.
func valid(schema []byte) jsontext.Value {
	if !json.Valid(schema) {
		return jsontext.Value("true")
	}
	return bytes.TrimSpace(schema)
}
