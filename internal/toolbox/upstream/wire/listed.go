package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Unreadable is the key in a tool's _meta under which [Listed] stores why the listed tool
// cannot be read.
const Unreadable = "helve/unreadable"

// Listed replaces each tool of a list that the SDK cannot read by a placeholder in the same
// place, with the same name if it has one, and the reason under [Unreadable]. The SDK would
// refuse the whole list. Other messages pass unchanged.
func Listed(msg jsonrpc.Message) jsonrpc.Message {
	answer, ok := msg.(*jsonrpc.Response)
	if !ok || !bytes.Contains(answer.Result, []byte(`"tools"`)) {
		return msg
	}
	var result map[string]json.RawMessage
	var tools []json.RawMessage
	if json.Unmarshal(answer.Result, &result) != nil || result["content"] != nil || json.Unmarshal(result["tools"], &tools) != nil {
		return msg
	}
	changed := false
	for i, raw := range tools {
		var t *mcp.Tool
		err := json.Unmarshal(raw, &t)
		if err == nil && t != nil {
			continue
		}
		changed = true
		tools[i] = placeholder(i, raw, err)
	}
	if !changed {
		return msg
	}
	list, err := json.Marshal(tools)
	if err != nil {
		return msg
	}
	result["tools"] = list
	if whole, err := json.Marshal(result); err == nil {
		answer.Result = whole
	}
	return answer
}

func placeholder(place int, raw json.RawMessage, why error) json.RawMessage {
	var named struct {
		Name json.RawMessage `json:"name"`
	}
	t := mcp.Tool{Name: fmt.Sprintf("tool %d of the list", place+1), InputSchema: map[string]any{"type": "object"}}
	var name string
	if json.Unmarshal(raw, &named) == nil && json.Unmarshal(named.Name, &name) == nil && name != "" {
		t.Name = name
	}
	reason := "it is null"
	if why != nil {
		reason = why.Error()
	}
	t.Meta = mcp.Meta{Unreadable: "it is not a tool as MCP defines it: " + reason}
	text, err := json.Marshal(&t)
	if err != nil {
		return raw
	}
	return text
}
