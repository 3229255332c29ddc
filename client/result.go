package client

import (
	stdjson "encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Status of a [Result].
const (
	StatusSuccess = protocol.StatusSuccess
	StatusError   = protocol.StatusError
	StatusPending = protocol.StatusPending
)

// State of a call, in a [Result].
const (
	StateQueued          = protocol.StateQueued
	StateRunning         = protocol.StateRunning
	StateAwaitingConsent = protocol.StateAwaitingConsent
	StateWaiting         = protocol.StateWaiting
	StateDone            = protocol.StateDone
)

// Result is the state of one call. It encodes as the result element of the protocol.
type Result struct {
	// CallID identifies the call in its tenant; ToolCallID is the caller's own ID.
	CallID     string
	ToolCallID string
	TraceID    string
	Tool       string
	// Status is [StatusSuccess], [StatusError] or [StatusPending].
	Status string
	// State is one of the states above; it may be empty for a call that is done.
	State string
	// Value is the tool's result, any JSON value. [Into] decodes it.
	Value stdjson.RawMessage
	// Text, if the tool has such a form, is shown to a model in place of Value.
	Text string
	// Content, if the result is more than a value, are its blocks as MCP defines them: texts,
	// images, sounds, resources and links. Text describes them.
	Content stdjson.RawMessage
	// ErrorType and Message are the reason of a failure.
	ErrorType tool.Kind
	Message   string
	// ConsentID is the consent that must be granted before the call runs.
	ConsentID string
	// ConnectURL is the address at which the person connects the account that the call
	// awaits, if the consent is about one.
	ConnectURL string
	// WaitingFor lists the things that a program waits for, in [StateWaiting].
	WaitingFor []ProgramWait
	// Parent is the program whose step the call is, empty for none.
	Parent string
	// Truncated is set if Value was cut to the tool's limit; Metadata has the full
	// size.
	Truncated bool
	// Notes are sentences for a model to read beside the result, such as that it was
	// cut.
	Notes []string
	// Duration is the running time of the tool.
	Duration time.Duration
	// Attempt counts deliveries of the call, from 1.
	Attempt int
	// Worker is the id of the worker that ran it.
	Worker string
	// Metadata is additional information from the tool or Helve; numbers in it are
	// float64.
	Metadata map[string]any
	// Ref is the origin of a large Value, ContentRef that of a large Content; nil if it came
	// inline.
	Ref, ContentRef *ResultRef
}

// WrittenFile is a file of the workspace that a call wrote.
type WrittenFile = tool.WrittenFile

// Files returns the files of the workspace that the call wrote, from Metadata.
func (r Result) Files() []WrittenFile {
	encoded, err := json.Marshal(r.Metadata["files"])
	var files []WrittenFile
	if err != nil || json.Unmarshal(encoded, &files) != nil {
		return nil // metadata of a tool's own
	}
	return files
}

// ResultRef refers to a result that was too large for its message.
type ResultRef = protocol.ResultRef

// AwaitsPerson reports whether a person must decide or answer before the call goes on: about the
// call itself, or about a step of the program that it is.
func (r Result) AwaitsPerson() bool {
	return r.State == StateAwaitingConsent || r.State == StateWaiting && slices.ContainsFunc(r.WaitingFor, func(w ProgramWait) bool {
		return w.Kind == protocol.WaitConsent || w.Kind == protocol.WaitAnswer
	})
}

// Err returns nil for a success, a [*tool.Error] with the kind for a failure, and an
// error that is [ErrPending] for a call that is not done.
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

// lenient reads server output without checks: the server has checked it.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// resultOf converts a result element to a Result.
func resultOf(e *protocol.Result) Result {
	return Result{
		CallID: e.CallID, ToolCallID: e.ToolCallID, TraceID: e.TraceID, Tool: e.Tool, Status: e.Status, State: e.State,
		Value: e.Result, Text: e.Text, ErrorType: e.ErrorType, Message: e.Message, ConsentID: e.ConsentID, ConnectURL: e.ConnectURL,
		WaitingFor: e.WaitingFor, Parent: e.Parent,
		Truncated: e.Truncated, Notes: e.Notes, Duration: time.Duration(e.DurationMS * float64(time.Millisecond)),
		Attempt: e.Attempt, Worker: e.Worker, Metadata: e.Metadata, Ref: e.ResultRef, Content: e.Content, ContentRef: e.ContentRef,
	}
}

// MarshalJSON returns the result element of the protocol. A fetched Value replaces its
// reference.
func (r Result) MarshalJSON() ([]byte, error) {
	e := protocol.Result{
		CallID: r.CallID, ToolCallID: r.ToolCallID, TraceID: r.TraceID, Tool: r.Tool, Status: r.Status, State: r.State,
		Result: r.Value, Text: r.Text, ErrorType: r.ErrorType, Message: r.Message, ConsentID: r.ConsentID, ConnectURL: r.ConnectURL,
		WaitingFor: r.WaitingFor, Parent: r.Parent,
		Truncated: r.Truncated, Notes: r.Notes, DurationMS: float64(r.Duration) / float64(time.Millisecond),
		Attempt: r.Attempt, Worker: r.Worker, Metadata: r.Metadata, ResultRef: r.Ref, Content: r.Content, ContentRef: r.ContentRef,
	}
	if len(r.Value) > 0 {
		e.ResultRef = nil
	}
	return json.Marshal(&e, lenient, jsontext.PreserveRawStrings(true), json.Deterministic(true))
}

// UnmarshalJSON reads a result element of the protocol.
func (r *Result) UnmarshalJSON(data []byte) error {
	var e protocol.Result
	if err := json.Unmarshal(data, &e, lenient); err != nil {
		return err
	}
	*r = resultOf(&e)
	return nil
}
