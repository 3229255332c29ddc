package js

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// callRow is about other tools; callTool is made of sendCall.
var callRow = row{"listTools": listTools}

// listTools returns the tools that callTool reaches, as [ToolInfo] describes them.
func listTools(u use) goja.Value {
	raw := u.r.ask(OpTools, nil)
	if string(raw) == "null" {
		return u.r.vm.NewArray()
	}
	return u.r.fromJSON(raw)
}

// fromJSON makes the value that the host describes.
func (r *realm) fromJSON(raw json.RawMessage) goja.Value {
	v, err := r.parse(raw)
	if err != nil {
		panic(r.failure(tool.Fail(tool.Internal, "the answer cannot be read").Because(err)))
	}
	return v
}

// sendCall has another tool called with arguments that are JSON already, and returns
// the promise of its result.
func sendCall(u use) goja.Value {
	request := CallRequest{Name: u.text(0, "name"), Args: json.RawMessage(u.text(1, "args"))}
	return u.r.start(OpCall, request, u.r.fromJSON)
}
