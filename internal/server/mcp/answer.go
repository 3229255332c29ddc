package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// The _meta keys of an answer that identify its call.
const (
	metaCallID    = "dev.helve/call_id"
	metaConsentID = "dev.helve/consent_id"
	metaErrorType = "dev.helve/error_type"
	metaConnect   = "dev.helve/connect_url"
)

// answer is a call that is done, or is no longer waited for, in the form for a model.
type answer struct {
	meta sdk.Meta
	text string
	// content are the blocks of a result that is more than text, in place of text; those of
	// a failure follow it.
	content []jsontext.Value
	// notes are for the model, beside the text.
	notes []string
	// files are the files of the workspace that the call wrote.
	files []tool.WrittenFile
	// structured is an object, or nil.
	structured json.RawMessage
	failed     bool
}

func (o Outcome) answer() answer {
	a := answer{meta: sdk.Meta{metaCallID: o.CallID}}
	kind, message := o.ErrorType, o.Message
	switch {
	case o.Status == success && o.Structured && o.Metadata.ResultProblem != "":
		// Clients hold structured content to the tool's schema, and refuse an answer
		// without it; only a failure needs none.
		kind, message = "execution_error", fmt.Sprintf(
			"%s ran, but its result does not fit its own output schema (%s); do not call it again for that. It returned: %s",
			o.Tool, o.Metadata.ResultProblem, o.text())
		a.files = o.Metadata.Files
	case o.Status == success && (o.Ref == nil || len(o.Content) > 0):
		a.text, a.content, a.notes, a.files = o.text(), o.blocks(), o.Notes, o.Metadata.Files
		if bytes.HasPrefix(bytes.TrimSpace(o.Result), []byte("{")) && (o.Structured || !o.describes()) {
			a.structured = o.Result
		}
		return a
	case o.Status == success:
		kind, message = "file_too_large", fmt.Sprintf(
			"the result has %d bytes, more than fits here; ask for less, or fetch it with GET /v1/calls/%s/result", o.Ref.Size, o.CallID)
	case o.asks():
		a.meta[metaConsentID] = o.ConsentID
		kind, message = "confirmation_required", fmt.Sprintf(
			"%s waits for a person: consent %s must be granted, for example with 'helve consent grant %s'; then call again",
			o.Tool, o.ConsentID, o.ConsentID)
	case o.Status == pending && o.State == protocol.StateWaiting:
		kind, message = "timeout", fmt.Sprintf("the program is not done and goes on by itself as call %s; it %s; calls.get returns its outcome",
			o.CallID, cmp.Or(o.waits(), "waits for its calls"))
	case o.Status == pending:
		kind, message = "timeout", fmt.Sprintf("%s is still %s as call %s; it continues, and calls.get returns its outcome",
			o.Tool, o.State, o.CallID)
	}
	a.failed, a.text, a.meta[metaErrorType] = true, kind+": "+message, kind
	if o.Status != pending {
		a.content = slices.DeleteFunc(o.blocks(), func(block jsontext.Value) bool { return typeOf(block) == "text" })
	}
	return a
}

// linked returns the answer of a call that waits for an account, with the link at which the
// person connects it.
func (o Outcome) linked(q Question) answer {
	a := o.answer()
	a.meta[metaConnect] = q.ConnectURL
	a.text = fmt.Sprintf(
		"confirmation_required: %s waits for an account of %s: the person must connect it at %s (consent %s); then call again", o.Tool, q.Service,
		q.ConnectURL, o.ConsentID,
	)
	return a
}

// text returns the text for a model: the tool's own text, a string value, or the JSON
// of any other value.
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

// blocks returns the blocks of the content.
func (o Outcome) blocks() []jsontext.Value {
	var blocks []jsontext.Value
	if json.Unmarshal(o.Content, &blocks) != nil {
		return nil // there are none
	}
	return blocks
}

// typeOf returns the type of a block.
func typeOf(block jsontext.Value) string {
	var b struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(block, &b) // a block without a type is no text
	return b.Type
}

// describes reports whether the result is only the description of the content's blocks.
func (o Outcome) describes() bool {
	return len(o.Content) > 0 && bytes.HasPrefix(o.Result, []byte(`{"content":[`))
}

// said returns the blocks of the answer's text and content.
func (a answer) said() []any {
	var blocks []any
	if a.failed || len(a.content) == 0 {
		blocks = append(blocks, fastContent{Type: "text", Text: &a.text})
	}
	for _, block := range a.content {
		blocks = append(blocks, block)
	}
	return blocks
}

// result converts the answer to the SDK's type.
func (a answer) result() *sdk.CallToolResult {
	res := &sdk.CallToolResult{Meta: a.meta, IsError: a.failed}
	text, err := json.Marshal(map[string]any{"content": a.said()})
	if err == nil {
		var said sdk.CallToolResult
		err = json.Unmarshal(text, &said)
		res.Content = said.Content
	}
	if err != nil { // blocks that are none of the protocol
		res.Content = []sdk.Content{&sdk.TextContent{Text: a.text}}
	}
	if len(a.notes) > 0 {
		res.Content = append(res.Content, &sdk.TextContent{Text: notesText(a.notes)})
	}
	for i := range a.files {
		res.Content = append(res.Content, linkTo(&a.files[i]))
	}
	if a.structured != nil {
		res.StructuredContent = a.structured
	}
	return res
}

// notesText returns notes as one text, a line each.
func notesText(notes []string) string { return "Notes:\n- " + strings.Join(notes, "\n- ") }

// protocolError returns err as an error of the protocol. The platform's error messages
// are meant for the client, so they are included.
func protocolError(err error) error {
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok || err == nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

// invalid returns the protocol's error for an invalid request.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
