package mcp

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message is the part of a request that is needed before the SDK reads it.
type message struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  struct {
		Name           string         `json:"name"`
		Arguments      jsontext.Value `json:"arguments"`
		InputResponses jsontext.Value `json:"inputResponses"`
		RequestState   string         `json:"requestState"`
		RequestID      jsontext.Value `json:"requestId"`
		TaskID         string         `json:"taskId"`
		Meta           struct {
			ProgressToken jsontext.Value      `json:"progressToken"`
			Traceparent   string              `json:"traceparent"`
			Priority      string              `json:"dev.helve/priority"`
			Version       string              `json:"io.modelcontextprotocol/protocolVersion"`
			Capabilities  *clientCapabilities `json:"io.modelcontextprotocol/clientCapabilities"`
			ClientInfo    *clientInfo         `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	} `json:"params"`
}

type clientCapabilities struct {
	Elicitation jsontext.Value            `json:"elicitation"`
	Extensions  map[string]jsontext.Value `json:"extensions"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// lenient reads JSON with duplicate keys. Escapes of half a character are valid JSON;
// the reader of the text refuses them.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), halves)

var halves = jsontext.AllowInvalidUTF8(true)

// glance parses a message and returns what is wrong with it as JSON, by the rules of
// execute: it must be one value, in UTF-8, without duplicate keys. Duplicate keys in
// the arguments of a call are that call's error, and its answer reports them. For a
// message of another shape m is empty: the SDK reports what is wrong with it.
func glance(body []byte) (m message, problem string) {
	if json.Unmarshal(body, &m) == nil || len(body) == 0 {
		return m, ""
	}
	switch {
	case !utf8.Valid(body):
		return message{}, "the body must be UTF-8"
	case !jsontext.Value(body).IsValid(lenient):
		return message{}, "the body must be one JSON value"
	}
	if repeated(body) {
		return message{}, "the body must not have a key twice in one object"
	}
	m = message{}
	if json.Unmarshal(body, &m, lenient) != nil {
		return message{}, ""
	}
	return m, ""
}

// repeated reports whether an object of the message has a duplicate key, other than in
// the arguments of a call. The body is valid JSON.
func repeated(body []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(body), lenient)
	return repeatedIn(d, "params", func() bool {
		return repeatedIn(d, "arguments", func() bool { return d.SkipValue() != nil })
	})
}

// repeatedIn examines the next value. If it is an object with the key apart, the value
// of that key is left to look.
func repeatedIn(d *jsontext.Decoder, apart string, look func() bool) bool {
	if d.PeekKind() != '{' {
		return !strict(d)
	}
	seen := map[string]bool{}
	_, _ = d.ReadToken() // the brace
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return true
		}
		name := token.String()
		if seen[name] || name == apart && look() || name != apart && !strict(d) {
			return true
		}
		seen[name] = true
	}
	_, _ = d.ReadToken() // the other brace
	return false
}

// strict reads a value and reports whether no object in it has a duplicate key.
func strict(d *jsontext.Decoder) bool {
	value, err := d.ReadValue()
	return err == nil && value.IsValid(halves)
}

// named reports whether a value is a request's ID: a string or a number.
func named(id jsontext.Value) bool { return id.Kind() == '"' || id.Kind() == '0' }
