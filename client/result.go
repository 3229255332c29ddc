package client

import (
	stdjson "encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/tool"
)

// Status of a [Result].
const (
	StatusSuccess = "success"
	StatusError   = "error"
	StatusPending = "pending"
)

// State of a call, in a [Result].
const (
	StateQueued          = "queued"
	StateRunning         = "running"
	StateAwaitingConsent = "awaiting_consent"
	StateDone            = "done"
)

// Result is how one call stands. It encodes as the result element of the
// protocol.
type Result struct {
	// CallID names the call in its tenant; ToolCallID is the caller's own id.
	CallID     string `json:"call_id"`
	ToolCallID string `json:"tool_call_id,omitzero"`
	TraceID    string `json:"trace_id,omitzero"`
	Tool       string `json:"tool"`
	// Status is [StatusSuccess], [StatusError] or [StatusPending].
	Status string `json:"status"`
	// State is one of the states above; it may be empty for a call that is done.
	State string `json:"state,omitzero"`
	// Value is what the tool returned, any JSON value. [Into] decodes it.
	Value stdjson.RawMessage `json:"result,omitzero"`
	// Text is what a model is shown in place of Value, where the tool has such
	// a form.
	Text string `json:"text,omitzero"`
	// ErrorType and Message say why the call failed.
	ErrorType tool.Kind `json:"error_type,omitzero"`
	Message   string    `json:"message,omitzero"`
	// ConsentID is what a person must decide about before the call runs.
	ConsentID string `json:"consent_id,omitzero"`
	// Truncated says that Value was cut to the tool's cap; Metadata has the
	// full size.
	Truncated bool `json:"truncated,omitzero"`
	// Duration is how long the tool ran.
	Duration time.Duration `json:"-"`
	// Attempt counts deliveries of the call, from 1.
	Attempt int `json:"attempt,omitzero"`
	// Worker is the id of the worker that ran it.
	Worker string `json:"worker,omitzero"`
	// Metadata is what the tool or Helve adds; numbers in it are float64.
	Metadata map[string]any `json:"metadata,omitzero"`
	// Ref says where a large Value was fetched from; nil if it came inline.
	Ref *ResultRef `json:"result_ref,omitzero"`
}

// ResultRef names a result that was too large for its message.
type ResultRef struct {
	// Object is its name in the object bucket HELVE_RESULTS.
	Object string `json:"object"`
	// Size is in bytes, SHA256 in hex.
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Err returns nil for a success, a [*tool.Error] with the kind for a failure,
// and for a call that is not done an error that is [ErrPending].
func (r Result) Err() error {
	switch r.Status {
	case StatusSuccess:
		return nil
	case StatusError:
		return &tool.Error{Kind: r.ErrorType, Msg: r.Message}
	case StatusPending:
		if r.ConsentID != "" {
			return fmt.Errorf("%w: %s waits for consent %s", ErrPending, r.CallID, r.ConsentID)
		}
		return fmt.Errorf("%w: %s is %s", ErrPending, r.CallID, r.State)
	}
	return tool.Fail(tool.Internal, "the server answered with the unknown status %.40q", r.Status)
}

// lenient reads what a server wrote: it checked it already.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// fields is a Result without its methods.
type fields Result

// element is a Result on the wire.
type element struct {
	fields
	DurationMS float64 `json:"duration_ms,omitzero"`
}

func (e *element) result() Result {
	r := Result(e.fields)
	r.Duration = time.Duration(e.DurationMS * float64(time.Millisecond))
	return r
}

// MarshalJSON returns the result element of the protocol. A Value that was
// fetched stands in it in place of the reference.
func (r Result) MarshalJSON() ([]byte, error) {
	e := element{fields: fields(r), DurationMS: float64(r.Duration) / float64(time.Millisecond)}
	if len(r.Value) > 0 {
		e.Ref = nil
	}
	return json.Marshal(&e, lenient, jsontext.PreserveRawStrings(true), json.Deterministic(true))
}

// UnmarshalJSON reads a result element of the protocol.
func (r *Result) UnmarshalJSON(data []byte) error {
	var e element
	if err := json.Unmarshal(data, &e, lenient); err != nil {
		return err
	}
	*r = e.result()
	return nil
}
