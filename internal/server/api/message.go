package api

import (
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/protocol"
)

// messageShare is the fraction of an answer's size that results may take if messages
// repeat them: a result there is JSON in a string of JSON, at most twice as long, and
// the members around it need space too.
const messageShare = 4

// toolFormats and messageFormats list the formats of definitions and of a model's
// message, for an error.
var (
	toolFormats    = names(provider.Formats())
	messageFormats = names(slices.DeleteFunc(provider.Formats(), func(f provider.Format) bool { return f == provider.MCP }))
)

func names(formats []provider.Format) string {
	var list []string
	for _, f := range formats {
		list = append(list, string(f))
	}
	return strings.Join(list, ", ")
}

func formatOf(raw []byte) (provider.Format, error) {
	name, err := textField(raw, "format")
	if err != nil {
		return "", err
	}
	f, ok := provider.Parse(name)
	if !ok || f == provider.MCP {
		return "", BadRequest("format %.80q is not known; use one of %s", name, messageFormats)
	}
	return f, nil
}

// readMessage sets the calls of a request to those in the model's message, with the
// tools' own names, and returns them as the model wrote them.
func (ex *Execution) readMessage(tools catalog.View, limits Limits) ([]provider.Call, error) {
	written, err := ex.Format.Calls(ex.Message)
	if err != nil {
		return nil, BadRequest("message: %v", err)
	}
	if len(written) > limits.Calls {
		return nil, TooLarge("message holds more than %d calls; send them in several requests", limits.Calls)
	}
	ex.Calls = make([]dispatch.Call, len(written))
	for i, w := range written {
		c := &ex.Calls[i]
		c.ToolCallID, c.Arguments, c.Priority = w.ID, jsontext.Value(w.Arguments), ex.Priority
		if ex.CallIDs != "" {
			c.ID = ex.CallIDs + "-" + strconv.Itoa(i)
		}
		if w.Problem != nil {
			wrongf(c, "%v", w.Problem)
		}
		if def, ok := tools.Offered(w.Name); ok {
			c.Tool = def.Name
		} else {
			setTool(c, w.Name)
		}
		if len(c.ToolCallID) > maxToolCallID {
			c.ToolCallID = ""
		}
	}
	return written, nil
}

// messagesFor returns the messages that answer the model's, or nil while one of its
// calls is pending and the model is not told so.
func messagesFor(req *Execution, written []provider.Call, results []stdjson.RawMessage) (stdjson.RawMessage, error) {
	outcomes := make([]provider.Outcome, len(results))
	for i, result := range results {
		var el struct {
			CallID    string         `json:"call_id"`
			Status    string         `json:"status"`
			Result    jsontext.Value `json:"result"`
			Text      *string        `json:"text"`
			Ref       jsontext.Value `json:"result_ref"`
			TextRef   jsontext.Value `json:"text_ref"`
			ErrorType string         `json:"error_type"`
			Message   string         `json:"message"`
			Notes     []string       `json:"notes"`
			Content   jsontext.Value `json:"content"`

			held
		}
		if err := json.Unmarshal(result, &el, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, fmt.Errorf("read the result of call %d: %w", i, err)
		}
		if el.Status == protocol.StatusPending {
			if !req.Tell || !el.idle() {
				return nil, nil
			}
			el.Message = el.sentence()
		}
		switch { // a value too large for the answer is too large for a model as well
		case el.TextRef != nil:
			el.Result = fmt.Appendf(nil, `{"result_ref":%s}`, el.TextRef)
		case el.Result == nil && el.Ref != nil:
			el.Result = fmt.Appendf(nil, `{"result_ref":%s}`, el.Ref)
		}
		outcomes[i] = provider.Outcome{
			CallID:    el.CallID,
			Status:    el.Status,
			Result:    stdjson.RawMessage(el.Result),
			Text:      el.Text,
			Notes:     el.Notes,
			Content:   stdjson.RawMessage(el.Content),
			ErrorType: el.ErrorType,
			Message:   el.Message,
		}
	}
	return req.Format.Messages(written, outcomes)
}
