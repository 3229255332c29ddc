package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The keys under which an answer says which call it is about, in its _meta.
const (
	metaCallID    = "dev.helve/call_id"
	metaConsentID = "dev.helve/consent_id"
	metaErrorType = "dev.helve/error_type"
)

// answer turns a call that is done, or that nobody waits for any longer, into what a
// model reads.
func (o Outcome) answer() *sdk.CallToolResult {
	res := &sdk.CallToolResult{Meta: sdk.Meta{metaCallID: o.CallID}}
	switch {
	case o.Status == success && o.Ref != nil:
		return o.failed(res, "file_too_large", fmt.Sprintf(
			"the result has %d bytes, more than fits here; ask for less, or fetch it with GET /v1/calls/%s/result", o.Ref.Size, o.CallID))
	case o.Status == success:
		res.Content = []sdk.Content{&sdk.TextContent{Text: o.text()}}
		if o.Structured && bytes.HasPrefix(bytes.TrimSpace(o.Result), []byte("{")) {
			res.StructuredContent = o.Result
		}
		return res
	case o.asks():
		res.Meta[metaConsentID] = o.ConsentID
		return o.failed(res, "confirmation_required", fmt.Sprintf(
			"%s waits for a person: consent %s must be granted, for example with 'helve consent grant %s'; then call again", o.Tool, o.ConsentID, o.ConsentID))
	case o.Status == pending:
		return o.failed(res, "timeout", fmt.Sprintf(
			"%s is still %s as call %s; it goes on, and calls.get tells how it ends", o.Tool, o.State, o.CallID))
	}
	return o.failed(res, o.ErrorType, o.Message)
}

// text is what a model is shown: the tool's own words, a text as it is, and of
// anything else the JSON.
func (o Outcome) text() string {
	if o.Text != "" {
		return o.Text
	}
	var text string
	if json.Unmarshal(o.Result, &text) == nil {
		return text
	}
	return string(o.Result)
}

func (o Outcome) failed(res *sdk.CallToolResult, kind, message string) *sdk.CallToolResult {
	res.IsError = true
	res.Meta[metaErrorType] = kind
	res.Content = []sdk.Content{&sdk.TextContent{Text: kind + ": " + message}}
	return res
}

// invalid is the protocol's error of a request that cannot be served as it is.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
