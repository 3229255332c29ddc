package call

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

var (
	resultFields = fieldsOf[protocol.Result]()
	ownerFields  = fieldsOf[protocol.Owner]()
)

// ParentOf returns the program whose step a call is, empty if it is none.
func ParentOf(callID, origin string) string {
	if origin != protocol.OriginProgram {
		return ""
	}
	return callID[:max(0, strings.LastIndexByte(callID, '~'))]
}

// EncodeResult returns a result as a message.
func EncodeResult(r *protocol.Result) ([]byte, error) {
	if r.Origin == protocol.OriginProgram {
		r.Parent = ParentOf(r.CallID, r.Origin)
	}
	if data, ok := appendObject(make([]byte, 0, fixedSize+len(r.Result)+len(r.Text)+len(r.Content)), r, resultFields); ok {
		return data, nil
	}
	return json.Marshal(r, lenient)
}

// DecodeResult reads a result from a message.
func DecodeResult(data []byte) (*protocol.Result, error) {
	r := new(protocol.Result)
	if err := json.Unmarshal(data, r, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, fmt.Errorf("result of a call: %w", err)
	}
	return r, nil
}

// Failed returns the result of a call that ended in err.
func Failed(callID, toolCallID, traceID, name string, owner *protocol.Owner, err *tool.Error) protocol.Result {
	return protocol.Result{
		CallID: callID, ToolCallID: toolCallID, TraceID: traceID, Tool: name, Owner: owner,
		Status: protocol.StatusError, State: protocol.StateDone, ErrorType: err.Kind, Message: err.Msg,
	}
}
