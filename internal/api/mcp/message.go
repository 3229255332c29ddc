package mcp

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message is what must be known of a request before the SDK reads it.
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
		Meta           struct {
			ProgressToken jsontext.Value      `json:"progressToken"`
			Traceparent   string              `json:"traceparent"`
			Version       string              `json:"io.modelcontextprotocol/protocolVersion"`
			Capabilities  *clientCapabilities `json:"io.modelcontextprotocol/clientCapabilities"`
			ClientInfo    *clientInfo         `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	} `json:"params"`
}

type clientCapabilities struct {
	Extensions map[string]jsontext.Value `json:"extensions"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// glance reads a message, and reports whether it is one JSON value at all. Of one that
// is not of this shape nothing is known: what is wrong with it is for the SDK to say.
func glance(body []byte) (m message, isJSON bool) {
	if json.Unmarshal(body, &m) == nil {
		return m, true
	}
	return message{}, len(body) == 0 || jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// named reports whether a value is a request's id: a text or a number.
func named(id jsontext.Value) bool { return id.Kind() == '"' || id.Kind() == '0' }
