package bus

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/tool"
)

// Envelope is a call on its way to a worker.
type Envelope struct {
	CallID       string `json:"call_id"`
	ToolCallID   string `json:"tool_call_id,omitempty"`
	TraceID      string `json:"trace_id"`
	Tool         string `json:"tool"`
	Origin       string `json:"origin"`
	User         string `json:"user,omitempty"`
	Agent        string `json:"agent,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	ConfirmToken string `json:"confirm_token,omitempty"`
	// Arguments are the bytes as the caller sent them; empty means none. Large
	// ones are in the object store instead, under ArgumentsRef.
	Arguments    jsontext.Value `json:"arguments,omitzero"`
	ArgumentsRef string         `json:"arguments_ref,omitempty"`
	// Times are unix milliseconds; 0 means none.
	AcceptedMS int64 `json:"accepted_ms"`
	// DeadlineMS is when the call must have answered; StartByMS when it must
	// have left the queue.
	DeadlineMS int64 `json:"deadline_ms,omitzero"`
	StartByMS  int64 `json:"start_by_ms"`
	TimeoutMS  int64 `json:"timeout_ms,omitzero"`
	// Again marks a copy that was published because nobody knew whether the
	// first one was: look for an earlier attempt before running it.
	Again bool `json:"again,omitzero"`
	// Via is the way the call came to the dispatcher, as rules know it; empty is
	// directly.
	Via string `json:"via,omitempty"`
	// ConsentID names the consent that let a parked call go on.
	ConsentID string `json:"consent_id,omitempty"`

	// Tenant, Pool and Traceparent travel in the subject and in a header.
	Tenant      string `json:"-"`
	Pool        string `json:"-"`
	Traceparent string `json:"-"`
}

// lenient replaces invalid UTF-8 in what we write rather than losing a result
// over a broken letter.
var lenient = jsontext.AllowInvalidUTF8(true)

func millis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Accepted is when a dispatcher took the call.
func (e *Envelope) Accepted() time.Time { return millis(e.AcceptedMS) }

// Deadline is when the call must have answered; zero means never.
func (e *Envelope) Deadline() time.Time { return millis(e.DeadlineMS) }

// StartBy is when the call must have left the queue.
func (e *Envelope) StartBy() time.Time { return millis(e.StartByMS) }

func (e *Envelope) encode() ([]byte, error) { return json.Marshal(e, lenient) }

// decodeEnvelope reads a call from the queue. An error means that no result
// could be sent to anybody: the message is dead.
func decodeEnvelope(data []byte) (*Envelope, error) {
	e := new(Envelope)
	if err := json.Unmarshal(data, e); err != nil {
		return nil, err
	}
	// Subjects and events are made of these; what is not a name could lead out
	// of the tenant, or be no subject at all, and no result would ever arrive.
	if !isName(e.CallID) || !isName(e.Origin) || !tool.ValidName(e.Tool) || (e.TraceID != "" && !isName(e.TraceID)) {
		return nil, fmt.Errorf("call_id, origin and tool are required, and like trace_id must be names")
	}
	return e, nil
}

// Status of a result element.
const (
	StatusSuccess = "success"
	StatusError   = "error"
	StatusPending = "pending"
)

// State of a call.
const (
	StateQueued          = "queued"
	StateRunning         = "running"
	StateAwaitingConsent = "awaiting_consent"
	StateDone            = "done"
)

// Ref names a result in the object store.
type Ref struct {
	Object string `json:"object"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Element is one result element of PROTOCOL section 4: what is published on
// the result subject, stored, and handed to the caller as it is.
type Element struct {
	CallID     string         `json:"call_id"`
	ToolCallID string         `json:"tool_call_id,omitempty"`
	TraceID    string         `json:"trace_id,omitempty"`
	Tool       string         `json:"tool"`
	Status     string         `json:"status"`
	State      string         `json:"state,omitempty"`
	ConsentID  string         `json:"consent_id,omitempty"`
	Result     jsontext.Value `json:"result,omitzero"`
	ResultRef  *Ref           `json:"result_ref,omitempty"`
	Text       string         `json:"text,omitempty"`
	TextRef    *Ref           `json:"text_ref,omitempty"`
	ErrorType  tool.Kind      `json:"error_type,omitempty"`
	Message    string         `json:"message,omitempty"`
	Truncated  bool           `json:"truncated,omitzero"`
	DurationMS float64        `json:"duration_ms"`
	Attempt    int            `json:"attempt,omitzero"`
	Worker     string         `json:"worker,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	// ArgsHash tells apart a call_id that is sent again with other arguments.
	ArgsHash string `json:"args_hash,omitempty"`
}

// Encode returns the element as JSON.
func (e *Element) Encode() ([]byte, error) { return json.Marshal(e, lenient) }

// DecodeElement reads a result element.
func DecodeElement(data []byte) (*Element, error) {
	e := new(Element)
	if err := json.Unmarshal(data, e, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, fmt.Errorf("result element: %w", err)
	}
	return e, nil
}

// Failed returns the element of a call that ended in err.
func Failed(callID, toolCallID, traceID, name string, err *tool.Error) Element {
	return Element{
		CallID: callID, ToolCallID: toolCallID, TraceID: traceID, Tool: name,
		Status: StatusError, State: StateDone, ErrorType: err.Kind, Message: err.Msg,
	}
}
