package system

import (
	"encoding/json"
	"fmt"
)

// Element is one result element of the protocol.
type Element struct {
	CallID     string          `json:"call_id"`
	ToolCallID string          `json:"tool_call_id"`
	TraceID    string          `json:"trace_id"`
	Tool       string          `json:"tool"`
	Status     string          `json:"status"`
	State      string          `json:"state"`
	ConsentID  string          `json:"consent_id"`
	ConnectURL string          `json:"connect_url"`
	Result     json.RawMessage `json:"result"`
	ResultRef  *Reference      `json:"result_ref"`
	TextRef    *Reference      `json:"text_ref"`
	Text       string          `json:"text"`
	ErrorType  string          `json:"error_type"`
	Message    string          `json:"message"`
	Truncated  bool            `json:"truncated"`
	Attempt    int             `json:"attempt"`
	Worker     string          `json:"worker"`
	Metadata   map[string]any  `json:"metadata"`
	Notes      []string        `json:"notes"`
}

// String returns the form of an element in a failed test.
func (e Element) String() string {
	result := string(e.Result)
	if len(result) > 200 {
		result = result[:200] + "…"
	}
	return fmt.Sprintf("{%s %s: %s%s %s %s %s %v}", e.Tool, e.CallID, e.Status, e.State, e.ErrorType, e.Message, result, e.Metadata)
}

// Reference names an object of the bucket HELVE_RESULTS.
type Reference struct {
	Object string `json:"object"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}
