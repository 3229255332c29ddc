package js

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// callRow holds functions about other tools; callTool is built on sendCall.
var callRow = row{"listTools": listTools}

// listTools returns the tools that callTool can call, as [ToolInfo] describes them.
func listTools(u use) goja.Value {
	raw := u.r.ask(OpTools, nil, nil).Value
	if string(raw) == "null" {
		return u.r.vm.NewArray()
	}
	return u.r.fromJSON(raw)
}

// fromJSON converts JSON of the host to a value.
func (r *realm) fromJSON(raw json.RawMessage) goja.Value {
	v, err := r.parse(raw)
	if err != nil {
		panic(r.failure(tool.Fail(tool.Internal, "the answer cannot be read").Because(err)))
	}
	return v
}

// sendCall calls another tool with arguments that are already JSON, and returns the
// promise of its result.
func sendCall(u use) goja.Value {
	request := CallRequest{Name: u.text(0, "name"), Args: json.RawMessage(u.text(1, "args"))}
	return u.r.start(OpCall, request, nil, func(a Answer) goja.Value { return u.r.fromJSON(a.Value) })
}
