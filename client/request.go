package client

import (
	"bytes"
	stdjson "encoding/json"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/helve-dev/helve/protocol"
)

// NoWait is the Wait of a [Request] that is answered immediately.
const NoWait time.Duration = -1

// The handling of calls that a person must decide about.
const (
	// ConsentReturn returns such calls as pending. It is the default.
	ConsentReturn = protocol.ConsentReturn
	// ConsentWait waits for the person, at most for Wait.
	ConsentWait = protocol.ConsentWait
	// ConsentTell returns such calls as pending too, with Messages that tell the model so. It
	// requires a Message.
	ConsentTell = protocol.ConsentTell
)

// Request is one or more calls that run concurrently.
type Request struct {
	// Context identifies the person and agent; empty fields are the client's.
	Context Context
	// TraceID is 32 lower-case hex digits; the server makes one if empty.
	TraceID string
	// Calls are answered in this order.
	Calls []Call
	// Format and Message, used in place of Calls, are a model's own message that
	// contains the calls, and its provider: openai, openai_responses, anthropic or
	// gemini. Results that are too large for the answer are referenced and not fetched.
	Format  string
	Message stdjson.RawMessage
	// CallIDPrefix is the prefix of the IDs of the message's calls: up to 123 letters,
	// digits, underscores and hyphens. With it a message can be repeated like calls,
	// also by [WithRetry].
	CallIDPrefix string
	// Priority is that of the message's calls, as [Call.Priority].
	Priority string
	// Wait is the longest time the server waits for the calls, in whole milliseconds,
	// rounded up. 0 means the server's default, 30 s; [NoWait], or any negative value,
	// returns immediately with the calls pending.
	Wait time.Duration
	// Consent is [ConsentReturn], [ConsentWait], [ConsentTell] or empty for the default.
	Consent string
	// Callback, if set, receives each finished element with a POST, signed
	// (docs/callbacks.md). Its host must be allowed by the operator.
	Callback *Callback
}

// Callback is a URL that receives results, with headers of its requests.
type Callback = protocol.Callback

// Call is one call of a tool. Only Tool is required.
type Call struct {
	// ID is the call_id, the idempotency key: 1 to 128 letters, digits,
	// underscores and hyphens, unique in the tenant. The server makes one if
	// empty, or the client does with [WithRetry].
	ID string
	// ToolCallID is the model provider's ID, returned unchanged.
	ToolCallID string
	// Tool is the tool's name.
	Tool string
	// Arguments is nil or any value that encodes as a JSON object. A json.RawMessage,
	// jsontext.Value or []byte is JSON and sent unchanged; a string is sent as a JSON
	// string, which may contain an object.
	Arguments any
	// ConfirmToken approves the call ahead of time.
	ConfirmToken string
	// Priority is [PriorityBatch] for a call that may wait behind others while workers
	// are scarce; empty means interactive.
	Priority string
	// Timeout bounds the tool's run, in whole milliseconds, rounded up; 0 means the
	// tool's own timeout.
	Timeout time.Duration
	// WaitForWorker queues the call even if no live worker has its tool, for as long as
	// a call may wait for a free worker. Otherwise it ends within two seconds with
	// tool_not_available.
	WaitForWorker bool
}

// Priorities of a [Call].
const (
	PriorityInteractive = protocol.PriorityInteractive
	PriorityBatch       = protocol.PriorityBatch
)

// NewCallID returns a unique call_id, a UUIDv7.
func NewCallID() string { return uuid.Must(uuid.NewV7()).String() }

// wireRequest is the body of execute. Arguments are encoded once for all attempts.
type wireRequest struct {
	protocol.Execute

	Calls   []protocol.Call    `json:"calls,omitzero"`
	Format  string             `json:"format,omitzero"`
	Message stdjson.RawMessage `json:"message,omitzero"`
	Prefix  string             `json:"call_id_prefix,omitzero"`
	// Priority is that of the message's calls.
	Priority string `json:"priority,omitzero"`
}

func (c *Client) wire(req Request) (wireRequest, error) {
	w := wireRequest{
		Execute: protocol.Execute{Context: orContext(req.Context, c.who), TraceID: req.TraceID, Consent: req.Consent, Callback: req.Callback},
		Format:  req.Format,
		Message: req.Message,
		Prefix:  req.CallIDPrefix,
	}
	if w.Format != "" && len(req.Calls) == 0 {
		w.Priority = req.Priority
		return w, nil
	}
	w.Calls = make([]protocol.Call, len(req.Calls))
	for i, call := range req.Calls {
		args, err := encodeArguments(call.Arguments)
		if err != nil {
			return w, misused("the arguments of call %d (%s) cannot be encoded as JSON: %v", i, call.Tool, err)
		}
		w.Calls[i] = protocol.Call{
			CallID: call.ID, ToolCallID: call.ToolCallID, Tool: call.Tool, Arguments: args,
			ConfirmToken: call.ConfirmToken, Priority: call.Priority, TimeoutMS: float64(millis(call.Timeout)), WaitForWorker: call.WaitForWorker,
		}
	}
	return w, nil
}

// encode returns the body. Duplicate names in arguments are allowed here: they fail the
// call on the server, whose error is more precise.
func (w *wireRequest) encode() ([]byte, error) {
	body, err := json.Marshal(w, jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, misused("the request cannot be encoded as JSON: %v", err)
	}
	return body, nil
}

// encodeArguments follows the rules of encoding/json, for which callers wrote their
// types.
func encodeArguments(args any) (stdjson.RawMessage, error) {
	switch args := args.(type) {
	case nil:
		return nil, nil
	case stdjson.RawMessage:
		return rawArguments(args), nil
	case jsontext.Value:
		return rawArguments(args), nil
	case []byte:
		return rawArguments(args), nil
	}
	var buf bytes.Buffer
	enc := stdjson.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// rawArguments treats empty JSON as no arguments.
func rawArguments(raw []byte) stdjson.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// millis rounds up, so that a short time does not become 0.
func millis(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/time.Millisecond) + 1
}
