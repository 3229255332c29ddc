package provider

import (
	"encoding/json"
	"strconv"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// defineMCP appends a tool of tools/list. The annotations are hints: a client that
// trusts the server may use them to ask people less.
func defineMCP(w []byte, d *definition) []byte {
	w = quote(append(w, `{"name":`...), d.Name)
	w = quote(append(w, `,"description":`...), d.Description)
	w = appendMCPSchema(append(w, `,"inputSchema":`...), d.parameters)
	if ObjectResult(d.result) {
		w = appendMCPSchema(append(w, `,"outputSchema":`...), d.result)
	}
	w = strconv.AppendBool(append(w, `,"annotations":{"readOnlyHint":`...), !d.Mutates)
	w = strconv.AppendBool(append(w, `,"destructiveHint":`...), d.Destructive)
	w = strconv.AppendBool(append(w, `,"idempotentHint":`...), d.Idempotent)
	w = strconv.AppendBool(append(w, `,"openWorldHint":`...), d.OpenWorld)
	return append(w, "}}"...)
}

// MCPSchema returns a schema of parameters or of an object result in the form that every
// version of the protocol takes, whatever schema the tool came with. It accepts the same
// values, or more. The schema must be JSON or empty.
func MCPSchema(schema json.RawMessage) json.RawMessage {
	return appendMCPSchema(make([]byte, 0, len(schema)+64), trimmed(schema))
}

// appendMCPSchema appends a schema whose type is object, whose properties are objects and
// whose required list has texts only: before 2026-07-28 the protocol demands that, and
// clients refuse the whole list of tools otherwise. Without $schema a schema is of draft
// 2020-12, in which the rest is written; an $id would mix up the schemas of two tools in
// clients that store schemas by it.
func appendMCPSchema(w, schema []byte) []byte {
	if kind(schema) != '{' {
		return append(w, noParameters...)
	}
	w = append(w, `{"type":"object"`...)
	for name, value := range jsonwalk.EachMember(schema) {
		word := key(name)
		switch string(word) {
		case "type", "$schema", "$id", "$vocabulary":
			continue
		case "properties":
			if kind(value) != '{' {
				continue
			}
		case "required":
			if !onlyTexts(value) {
				continue
			}
		}
		w = keyword(append(append(append(w, ','), name...), ':'), word, value)
	}
	return append(w, '}')
}

// onlyTexts reports whether a value is a list of strings.
func onlyTexts(value []byte) bool {
	for _, item := range jsonwalk.EachItem(value) {
		if kind(item) != '"' {
			return false
		}
	}
	return kind(value) == '['
}

// ObjectResult reports whether a result schema is of an object, the only kind that the
// protocol takes as an output schema and as structured content.
func ObjectResult(schema json.RawMessage) bool {
	return string(key(wordsOf(trimmed(schema)).typ)) == "object"
}
