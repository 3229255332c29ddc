package upstream

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/jsonx/schema"
)

// shown is a server's definition of a tool, unchanged: everything that a model, a
// person or a rule relies on. It is the object that an operator accepts.
type shown struct {
	Server       string               `json:"server"`
	Name         string               `json:"name"`
	Title        string               `json:"title,omitzero"`
	Description  string               `json:"description"`
	InputSchema  json.RawMessage      `json:"input_schema"`
	OutputSchema json.RawMessage      `json:"output_schema,omitzero"`
	Annotations  *mcp.ToolAnnotations `json:"annotations,omitzero"`
}

// maxShown bounds a server's definition of one tool, in bytes.
const maxShown = 128 << 10

// show encodes a server's definition of a tool, and returns its hash: "sha256:" and the
// hash of its canonical JSON.
func show(server string, t *mcp.Tool) (text json.RawMessage, hash string, err error) {
	input, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, "", err
	}
	var output json.RawMessage
	if t.OutputSchema != nil {
		if output, err = json.Marshal(t.OutputSchema); err != nil {
			return nil, "", err
		}
	}
	text, err = json.Marshal(shown{server, t.Name, t.Title, t.Description, input, output, t.Annotations})
	if err != nil {
		return nil, "", err
	}
	if len(text) > maxShown {
		return nil, "", fmt.Errorf("its definition has %d bytes, at most %d are allowed", len(text), maxShown)
	}
	hash, err = schema.Hash(text)
	return text, hash, err
}
