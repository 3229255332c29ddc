package queue

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Envelope is a call on its way to a worker.
type Envelope struct {
	CallID       string `json:"call_id" doc:"Names the call in its tenant: 1 to 128 letters, digits, _ and -. A call that a tool made has that of the outer one with ~ and a number."`
	ToolCallID   string `json:"tool_call_id,omitempty" doc:"The model provider's own id of the call, echoed untouched."`
	TraceID      string `json:"trace_id" doc:"The trace of the request, a W3C trace id."`
	Tool         string `json:"tool" doc:"The name of the tool, which may hold dots."`
	Origin       string `json:"origin" doc:"The dispatcher that accepted the call."`
	User         string `json:"user,omitempty" doc:"The person on whose behalf the call is made."`
	Agent        string `json:"agent,omitempty" doc:"The agent that made the call."`
	Conversation string `json:"conversation,omitempty" doc:"The conversation the call belongs to."`
	ConfirmToken string `json:"confirm_token,omitempty" doc:"The token that approves the call ahead of time."`
	// Arguments are the bytes as the caller sent them; empty means none. Large arguments
	// are in the object store instead, under ArgumentsRef.
	Arguments    jsontext.Value `json:"arguments,omitzero" doc:"The arguments as the caller sent them; absent where there are none, or where they lie elsewhere."`
	ArgumentsRef string         `json:"arguments_ref,omitempty" doc:"The arguments' name in the object store HELVE_CALLS, where they are too large for a message."`
	// Times are unix milliseconds; 0 means none.
	AcceptedMS int64 `json:"accepted_ms" doc:"When it was accepted, in Unix milliseconds, as all times of this message."`
	// DeadlineMS is the time until which the call must have its result; StartByMS the time
	// until which it must have started.
	DeadlineMS int64 `json:"deadline_ms,omitzero" doc:"When it must have answered."`
	StartByMS  int64 `json:"start_by_ms" doc:"When it must have left the queue."`
	TimeoutMS  int64 `json:"timeout_ms,omitzero" doc:"How long the tool may run; absent means its own time."`
	// Again marks a copy that was published because it was unknown whether the first one
	// was stored: look for an earlier attempt before running it.
	Again bool `json:"again,omitzero" doc:"A copy, published because nobody knew whether the first one was."`
	// Via is the door through which the call came to the dispatcher, in the terms of rules;
	// empty is a direct call.
	Via string `json:"via,omitempty" doc:"The way the call came to its dispatcher, as rules know it, such as mcp; directly where it is not there."`
	// ConsentID names the consent that released a parked call.
	ConsentID string `json:"consent_id,omitempty" doc:"The consent that let a parked call go on."`
	// Connected is the consent by which the call last waited for an account, and Connects
	// counts those that its person then connected.
	Connected string `json:"connected,omitempty" doc:"The consent that the call went on with because its person had connected an account."`
	Connects  int    `json:"connects,omitzero" doc:"How often the call waited for an account that its person then connected."`

	// Waits is set if the call is to wait for a worker that has its tool, should there be
	// none.
	Waits bool `json:"waits,omitzero" doc:"It waits for a worker that has its tool, where none does."`
	// Priority is [PriorityBatch] for a call that may wait behind others; empty is
	// interactive.
	Priority string `json:"priority,omitempty" doc:"batch for a call that may wait behind others while workers are short."`
	// Home is the worker that the call's person is bound to, if the lane is one of that
	// worker alone. Rehomed is set if files of another worker may be missing there.
	Home    string `json:"home,omitempty" doc:"The worker that the call's user is bound to (worker.affinity)."`
	Rehomed bool   `json:"rehomed,omitzero" doc:"True if the user was on a worker with other workspaces before."`
	// Attempts is the number of attempts made on earlier copies of this message, and Moves
	// the number of moves: see [Delivery.Move].
	Attempts int `json:"attempts,omitzero" doc:"How many attempts were made on earlier copies of this message."`
	Moves    int `json:"moves,omitzero" doc:"How often the call was moved to another lane of its pool."`
	// Grouped means that the result may be stored in a group: the dispatcher reads groups.
	Grouped bool `json:"grouped,omitzero" doc:"The dispatcher reads groups: the result may be stored in one message with others."`

	// Tenant, Pool, Lane and Traceparent are sent in the subject and in a header.
	Tenant      string `json:"-"`
	Pool        string `json:"-"`
	Lane        string `json:"-"`
	Traceparent string `json:"-"`
}

// lenient replaces invalid UTF-8 in written values rather than losing a result over an
// invalid letter.
var lenient = jsontext.AllowInvalidUTF8(true)

func millis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Accepted returns the time at which a dispatcher accepted the call.
func (e *Envelope) Accepted() time.Time { return millis(e.AcceptedMS) }

// Deadline returns the time until which the call must have its result; zero means never.
func (e *Envelope) Deadline() time.Time { return millis(e.DeadlineMS) }

// StartBy returns the time until which the call must have started.
func (e *Envelope) StartBy() time.Time { return millis(e.StartByMS) }

// envelopeFields are the members of an [Envelope]. A missing member would not be
// transmitted.
var envelopeFields = []field[Envelope]{
	{"call_id", true, func(e *Envelope) any { return &e.CallID }},
	{"tool_call_id", false, func(e *Envelope) any { return &e.ToolCallID }},
	{"trace_id", true, func(e *Envelope) any { return &e.TraceID }},
	{"tool", true, func(e *Envelope) any { return &e.Tool }},
	{"origin", true, func(e *Envelope) any { return &e.Origin }},
	{"user", false, func(e *Envelope) any { return &e.User }},
	{"agent", false, func(e *Envelope) any { return &e.Agent }},
	{"conversation", false, func(e *Envelope) any { return &e.Conversation }},
	{"confirm_token", false, func(e *Envelope) any { return &e.ConfirmToken }},
	{"arguments", false, func(e *Envelope) any { return &e.Arguments }},
	{"arguments_ref", false, func(e *Envelope) any { return &e.ArgumentsRef }},
	{"accepted_ms", true, func(e *Envelope) any { return &e.AcceptedMS }},
	{"deadline_ms", false, func(e *Envelope) any { return &e.DeadlineMS }},
	{"start_by_ms", true, func(e *Envelope) any { return &e.StartByMS }},
	{"timeout_ms", false, func(e *Envelope) any { return &e.TimeoutMS }},
	{"again", false, func(e *Envelope) any { return &e.Again }},
	{"via", false, func(e *Envelope) any { return &e.Via }},
	{"consent_id", false, func(e *Envelope) any { return &e.ConsentID }},
	{"connected", false, func(e *Envelope) any { return &e.Connected }},
	{"connects", false, func(e *Envelope) any { return &e.Connects }},
	{"waits", false, func(e *Envelope) any { return &e.Waits }},
	{"priority", false, func(e *Envelope) any { return &e.Priority }},
	{"home", false, func(e *Envelope) any { return &e.Home }},
	{"rehomed", false, func(e *Envelope) any { return &e.Rehomed }},
	{"attempts", false, func(e *Envelope) any { return &e.Attempts }},
	{"moves", false, func(e *Envelope) any { return &e.Moves }},
	{"grouped", false, func(e *Envelope) any { return &e.Grouped }},
}

// fixedSize is the approximate size of an envelope or element without its arguments or
// result.
const fixedSize = 512

func (e *Envelope) encode() ([]byte, error) {
	if data, ok := appendObject(make([]byte, 0, fixedSize+len(e.Arguments)), e, envelopeFields); ok {
		return data, nil
	}
	return json.Marshal(e, lenient)
}

// decodeEnvelope reads a call from the queue. An error means that the message is dead: no
// result could be sent to its caller.
func decodeEnvelope(data []byte) (*Envelope, error) {
	e := new(Envelope)
	if !parseObject(data, e, envelopeFields) {
		*e = Envelope{}
		if err := json.Unmarshal(data, e); err != nil {
			return nil, err
		}
	}
	// Subjects and events contain these values; an invalid name could leave the tenant's
	// subjects, or form no subject, and no result would ever arrive.
	if !subject.IsName(e.CallID) || !subject.IsName(e.Origin) || !tool.ValidName(e.Tool) || (e.TraceID != "" && !subject.IsName(e.TraceID)) {
		return nil, fmt.Errorf("call_id, origin and tool are required, and like trace_id must be names")
	}
	return e, nil
}

// elementFields are the members of a [protocol.Result]. A missing member would be lost.
var elementFields = []field[protocol.Result]{
	{"call_id", true, func(e *protocol.Result) any { return &e.CallID }},
	{"tool_call_id", false, func(e *protocol.Result) any { return &e.ToolCallID }},
	{"trace_id", false, func(e *protocol.Result) any { return &e.TraceID }},
	{"tool", true, func(e *protocol.Result) any { return &e.Tool }},
	{"status", true, func(e *protocol.Result) any { return &e.Status }},
	{"state", false, func(e *protocol.Result) any { return &e.State }},
	{"consent_id", false, func(e *protocol.Result) any { return &e.ConsentID }},
	{"connect_url", false, func(e *protocol.Result) any { return &e.ConnectURL }},
	{"result", false, func(e *protocol.Result) any { return &e.Result }},
	{"result_ref", false, func(e *protocol.Result) any { return &e.ResultRef }},
	{"text", false, func(e *protocol.Result) any { return &e.Text }},
	{"text_ref", false, func(e *protocol.Result) any { return &e.TextRef }},
	{"content", false, func(e *protocol.Result) any { return &e.Content }},
	{"content_ref", false, func(e *protocol.Result) any { return &e.ContentRef }},
	{"error_type", false, func(e *protocol.Result) any { return &e.ErrorType }},
	{"message", false, func(e *protocol.Result) any { return &e.Message }},
	{"truncated", false, func(e *protocol.Result) any { return &e.Truncated }},
	{"notes", false, func(e *protocol.Result) any { return &e.Notes }},
	{"duration_ms", true, func(e *protocol.Result) any { return &e.DurationMS }},
	{"attempt", false, func(e *protocol.Result) any { return &e.Attempt }},
	{"worker", false, func(e *protocol.Result) any { return &e.Worker }},
	{"metadata", false, func(e *protocol.Result) any { return &e.Metadata }},
	{"args_hash", false, func(e *protocol.Result) any { return &e.ArgsHash }},
	{"owner", false, func(e *protocol.Result) any { return &e.Owner }},
	{"origin", false, func(e *protocol.Result) any { return &e.Origin }},
}

// EncodeElement returns the element as JSON.
func EncodeElement(e *protocol.Result) ([]byte, error) {
	if data, ok := appendObject(make([]byte, 0, fixedSize+len(e.Result)+len(e.Text)+len(e.Content)), e, elementFields); ok {
		return data, nil
	}
	return json.Marshal(e, lenient)
}

// DecodeElement reads a result element.
func DecodeElement(data []byte) (*protocol.Result, error) {
	e := new(protocol.Result)
	if err := json.Unmarshal(data, e, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, fmt.Errorf("result element: %w", err)
	}
	return e, nil
}

// Failed returns the element of a call that ended in err.
func Failed(callID, toolCallID, traceID, name string, owner *protocol.Owner, err *tool.Error) protocol.Result {
	return protocol.Result{
		CallID: callID, ToolCallID: toolCallID, TraceID: traceID, Tool: name, Owner: owner,
		Status: protocol.StatusError, State: protocol.StateDone, ErrorType: err.Kind, Message: err.Msg,
	}
}
