package scheduler

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// The tools that call others.
const (
	useTool   = "use_tool"
	batchTool = "batch_use_tool"
)

// maxShown bounds the result of one call that the model reads, in bytes.
const maxShown = 32 << 10

// answer makes the calls of one message of the model, concurrently, and returns the
// messages with their outcomes.
func (c *conversation) answer(ctx context.Context, wanted []openai.TurnCall) []message {
	outcomes := make([]tool.InnerOutcome, len(wanted))
	var calls []tool.InnerCall
	var places []int
	for i, w := range wanted {
		call, err := c.inner(w)
		switch {
		case len(c.res.Calls)+len(calls) >= maxTurnCalls:
			outcomes[i].Err = tool.Fail(tool.RateLimited, "the prompt has made %d calls, which is the most; end with an answer", maxTurnCalls)
		case err != nil:
			outcomes[i].Err = err
		default:
			calls, places = append(calls, call), append(places, i)
		}
	}
	for n, out := range c.call.Tools.Batch(ctx, calls) {
		outcomes[places[n]] = out
		made := promptCall{Tool: calls[n].Tool, Status: success}
		if out.Err != nil {
			made.Status, made.Error = failed, out.Err.Kind
		}
		c.res.Calls = append(c.res.Calls, made)
	}
	all := make([]message, len(wanted))
	for i, w := range wanted {
		all[i] = message{Role: "tool", CallID: w.ID, Content: content(&outcomes[i])}
	}
	return all
}

// inner returns the call that the model wants, as a call of the tool itself.
func (c *conversation) inner(w openai.TurnCall) (tool.InnerCall, *tool.Error) {
	args := json.RawMessage(strings.TrimSpace(w.Arguments))
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	if !json.Valid(args) || args[0] != '{' {
		return tool.InnerCall{}, tool.Fail(tool.ValidationError, "the arguments of %.64s are not a JSON object", w.Name)
	}
	call := tool.InnerCall{Tool: w.Name, Arguments: args}
	if w.Name == useTool {
		var through struct {
			Tool      string          `json:"tool_name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal(args, &through); err != nil || through.Tool == "" {
			return tool.InnerCall{}, tool.Fail(tool.ValidationError, "%s needs tool_name and arguments", useTool)
		}
		call.Tool, call.Arguments = through.Tool, through.Arguments
		if len(call.Arguments) == 0 {
			call.Arguments = json.RawMessage(`{}`)
		}
	}
	def, ok := c.call.Catalogue.Lookup(call.Tool)
	if !ok {
		return call, nil // its refusal names similar tools, and is recorded
	}
	if err := forbidden(def); err != nil {
		return tool.InnerCall{}, tool.Fail(tool.PermissionDenied, "%s", err)
	}
	return call, nil
}

// content returns the outcome of a call as the model reads it.
func content(out *tool.InnerOutcome) string {
	shown := struct {
		Status  string   `json:"status"`
		Result  any      `json:"result,omitempty"`
		Notes   []string `json:"notes,omitempty"`
		Error   string   `json:"error_type,omitempty"`
		Message string   `json:"message,omitempty"`
	}{Status: success, Result: out.Result.Value, Notes: out.Result.Notes}
	text := out.Result.Text
	switch {
	case out.Err != nil:
		shown.Status, shown.Result, shown.Error, shown.Message = failed, nil, string(out.Err.Kind), out.Err.Msg
	case text == "" && len(out.Result.Value) > maxShown:
		text = string(out.Result.Value)
	}
	if text != "" && out.Err == nil {
		if shown.Result = text; len(text) > maxShown {
			shown.Result = textcut.Head(text, maxShown)
			shown.Notes = append(shown.Notes, "the result was cut; ask for less of it")
		}
	}
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(shown); err != nil {
		return `{"status":"error","error_type":"execution_error","message":"the result of the tool is not JSON"}`
	}
	return strings.TrimSpace(w.String())
}
