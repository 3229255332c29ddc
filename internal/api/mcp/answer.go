package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The keys under which an answer says which call it is about, in its _meta.
const (
	metaCallID    = "dev.helve/call_id"
	metaConsentID = "dev.helve/consent_id"
	metaErrorType = "dev.helve/error_type"
)

// answer is a call that is done, or that nobody waits for any longer, as a model reads
// it.
type answer struct {
	meta sdk.Meta
	text string
	// structured is an object, or nil.
	structured json.RawMessage
	failed     bool
}

func (o Outcome) answer() answer {
	a := answer{meta: sdk.Meta{metaCallID: o.CallID}}
	kind, message := o.ErrorType, o.Message
	switch {
	case o.Status == success && o.Ref == nil:
		a.text = o.text()
		if o.Structured && bytes.HasPrefix(bytes.TrimSpace(o.Result), []byte("{")) {
			a.structured = o.Result
		}
		return a
	case o.Status == success:
		kind, message = "file_too_large", fmt.Sprintf(
			"the result has %d bytes, more than fits here; ask for less, or fetch it with GET /v1/calls/%s/result", o.Ref.Size, o.CallID)
	case o.asks():
		a.meta[metaConsentID] = o.ConsentID
		kind, message = "confirmation_required", fmt.Sprintf(
			"%s waits for a person: consent %s must be granted, for example with 'helve consent grant %s'; then call again", o.Tool, o.ConsentID, o.ConsentID)
	case o.Status == pending:
		kind, message = "timeout", fmt.Sprintf("%s is still %s as call %s; it goes on, and calls.get tells how it ends", o.Tool, o.State, o.CallID)
	}
	a.failed, a.text, a.meta[metaErrorType] = true, kind+": "+message, kind
	return a
}

// text is what a model is shown: the tool's own words, a text as it is, and of
// anything else the JSON.
func (o Outcome) text() string {
	if o.Text != "" {
		return o.Text
	}
	var text string
	if bytes.HasPrefix(o.Result, []byte(`"`)) && json.Unmarshal(o.Result, &text) == nil {
		return text
	}
	return string(o.Result)
}

// result is the answer as the SDK writes it.
func (a answer) result() *sdk.CallToolResult {
	res := &sdk.CallToolResult{Meta: a.meta, Content: []sdk.Content{&sdk.TextContent{Text: a.text}}, IsError: a.failed}
	if a.structured != nil {
		res.StructuredContent = a.structured
	}
	return res
}

// protocolError is the error of a request as the protocol has it, which is told to the
// client: the platform's errors are sentences for whoever asks.
func protocolError(err error) error {
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok || err == nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

// invalid is the protocol's error of a request that cannot be served as it is.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
