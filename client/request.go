package client

import (
	"bytes"
	stdjson "encoding/json"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// NoWait is the Wait of a [Request] that is to be answered at once.
const NoWait time.Duration = -1

// What a request does with calls that a person must decide about.
const (
	// ConsentReturn answers with such calls pending. It is the default.
	ConsentReturn = "return"
	// ConsentWait waits for the person, as long as Wait lasts.
	ConsentWait = "wait"
)

// Request is one or more calls that run in parallel.
type Request struct {
	// Context says on whose behalf; empty fields are the client's.
	Context Context
	// TraceID is 32 lower-case hex digits; the server makes one if empty.
	TraceID string
	// Calls are answered in this order.
	Calls []Call
	// Format and Message, in place of Calls, are a model's own message with the
	// calls in it, and its provider: openai, openai_responses, anthropic or gemini.
	// Results that are too large for the answer are named in it and not fetched.
	Format  string
	Message stdjson.RawMessage
	// CallIDPrefix begins the call ids of the message's calls: up to 123 letters,
	// digits, underscores and hyphens. With it a message can be sent again as calls
	// can, by [WithRetry] too.
	CallIDPrefix string
	// Wait is how long the server waits for the calls, in whole milliseconds,
	// rounded up. 0 means the server's default, 30 s; [NoWait], or anything
	// below 0, answers at once with the calls pending.
	Wait time.Duration
	// Consent is [ConsentReturn], [ConsentWait] or empty for the default.
	Consent string
}

// Call is one call of a tool. Only Tool is required.
type Call struct {
	// ID is the call_id, the idempotency key: 1 to 128 letters, digits,
	// underscores and hyphens, unique in the tenant. The server makes one if
	// empty, or the client does with [WithRetry].
	ID string
	// ToolCallID is the model provider's id, echoed untouched.
	ToolCallID string
	// Tool is the tool's name.
	Tool string
	// Arguments is nil or anything that encodes as a JSON object. A
	// json.RawMessage, jsontext.Value or []byte is JSON and sent as it is; a
	// string is sent as a JSON string, which may hold an object.
	Arguments any
	// ConfirmToken approves the call ahead of time.
	ConfirmToken string
	// Timeout bounds the tool, in whole milliseconds, rounded up; 0 means the
	// tool's own.
	Timeout time.Duration
}

// NewCallID returns a call_id that nobody else has made, a UUIDv7.
func NewCallID() string { return uuid.Must(uuid.NewV7()).String() }

// wireRequest is the body of execute. Arguments are encoded once, however
// often it is sent.
type wireRequest struct {
	Context Context    `json:"context,omitzero"`
	TraceID string     `json:"trace_id,omitzero"`
	Calls   []wireCall `json:"calls,omitzero"`

	Format  string         `json:"format,omitzero"`
	Message jsontext.Value `json:"message,omitzero"`
	Prefix  string         `json:"call_id_prefix,omitzero"`

	WaitMS  *int64 `json:"wait_ms,omitzero"`
	Consent string `json:"consent,omitzero"`
}

type wireCall struct {
	ID           string         `json:"call_id,omitzero"`
	ToolCallID   string         `json:"tool_call_id,omitzero"`
	Tool         string         `json:"tool"`
	Arguments    jsontext.Value `json:"arguments,omitzero"`
	ConfirmToken string         `json:"confirm_token,omitzero"`
	TimeoutMS    int64          `json:"timeout_ms,omitzero"`
}

func (c *Client) wire(req Request) (wireRequest, error) {
	w := wireRequest{
		Context: req.Context.or(c.who),
		TraceID: req.TraceID,
		Consent: req.Consent,
		Format:  req.Format,
		Message: jsontext.Value(req.Message),
		Prefix:  req.CallIDPrefix,
	}
	if w.Format != "" && len(req.Calls) == 0 {
		return w, nil
	}
	w.Calls = make([]wireCall, len(req.Calls))
	for i, call := range req.Calls {
		args, err := encodeArguments(call.Arguments)
		if err != nil {
			return w, misused("the arguments of call %d (%s) cannot be encoded as JSON: %v", i, call.Tool, err)
		}
		w.Calls[i] = wireCall{
			ID: call.ID, ToolCallID: call.ToolCallID, Tool: call.Tool, Arguments: args,
			ConfirmToken: call.ConfirmToken, TimeoutMS: millis(call.Timeout),
		}
	}
	return w, nil
}

// encode returns the body. Duplicate names in arguments pass: they are the
// call's own failure, which the server names better.
func (w *wireRequest) encode() ([]byte, error) {
	body, err := json.Marshal(w, jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, misused("the request cannot be encoded as JSON: %v", err)
	}
	return body, nil
}

// encodeArguments follows encoding/json, whose rules the callers' types were
// written for.
func encodeArguments(args any) (jsontext.Value, error) {
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

// rawArguments takes empty JSON for no arguments.
func rawArguments(raw []byte) jsontext.Value {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// millis rounds up, so that a short time does not become none.
func millis(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/time.Millisecond) + 1
}
