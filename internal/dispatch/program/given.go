package program

import (
	"encoding/json"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet/catalog"
)

// RunProgram is the tool whose arguments have the code of a program.
const RunProgram = "run_program"

// given returns the tool that a program is a call of, directly or by way of use_tool, and its
// arguments as an object: a caller may write them into a string.
func given(c *call.Call) (name string, args json.RawMessage) {
	name, args = c.Tool, object(c.Arguments)
	if name != catalog.UseTool {
		return name, args
	}
	var to struct {
		Name      string          `json:"tool_name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(args, &to) != nil || to.Name == "" {
		return name, args
	}
	return to.Name, object(to.Arguments)
}

func object(args []byte) json.RawMessage {
	var text string
	if len(args) > 0 && args[0] == '"' && json.Unmarshal(args, &text) == nil {
		return json.RawMessage(text)
	}
	return args
}
