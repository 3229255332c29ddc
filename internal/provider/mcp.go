package provider

import (
	"encoding/json"
	"strconv"
)

// defineMCP appends a tool of tools/list. The annotations are hints: a client that
// trusts the server may use them to ask people less.
func defineMCP(w []byte, d *definition) []byte {
	w = quote(append(w, `{"name":`...), d.Name)
	w = quote(append(w, `,"description":`...), d.Description)
	w = append(w, `,"inputSchema":`...)
	if kind(d.parameters) == '{' {
		w = append(w, d.parameters...)
	} else {
		w = append(w, noParameters...)
	}
	if ObjectResult(d.result) {
		w = append(append(w, `,"outputSchema":`...), d.result...)
	}
	w = strconv.AppendBool(append(w, `,"annotations":{"readOnlyHint":`...), !d.Mutates)
	w = strconv.AppendBool(append(w, `,"destructiveHint":`...), d.Destructive)
	w = strconv.AppendBool(append(w, `,"idempotentHint":`...), d.Idempotent)
	w = strconv.AppendBool(append(w, `,"openWorldHint":`...), d.OpenWorld)
	return append(w, "}}"...)
}

// ObjectResult reports whether a result schema is of an object, the only kind that the
// protocol takes as an output schema and as structured content.
func ObjectResult(schema json.RawMessage) bool {
	return string(key(wordsOf(trimmed(schema)).typ)) == "object"
}
