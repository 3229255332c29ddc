package chat

import (
	stdjson "encoding/json"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
)

// responsesDialect implements OpenAI's Responses, following its API reference
// (responses/create and responses-streaming).
var responsesDialect = dialect{
	base:      openAIBase,
	keys:      []string{"OPENAI_API_KEY"},
	path:      func(*Options) string { return "/responses" },
	keyHeader: "Authorization", keyPrefix: "Bearer ",
	user:     func(text string) any { return message{Role: "user", Content: text} },
	body:     responsesBody,
	assemble: func(s *speech, _ int) assembler { return &response{speech: s} },
}

// responsesBody returns a request. store is false because the conversation is the
// caller's and is sent in full each time. Reasoning is then returned encrypted, which
// the API does by itself; requesting it with include would make every model without
// reasoning refuse the request ("Encrypted content is not supported with this model").
func responsesBody(o *Options, conversation []stdjson.RawMessage, tools stdjson.RawMessage) any {
	return struct {
		Model        string               `json:"model"`
		Instructions string               `json:"instructions,omitzero"`
		Input        []stdjson.RawMessage `json:"input"`
		Tools        stdjson.RawMessage   `json:"tools,omitzero"`
		MaxTokens    int                  `json:"max_output_tokens,omitzero"`
		Stream       bool                 `json:"stream"`
		Store        bool                 `json:"store"`
	}{o.Model, o.System, conversation, tools, o.MaxTokens, true, false}
}

// response waits for the event that has the complete answer.
type response struct {
	*speech
	message jsontext.Value // the Response
	told    struct {
		Status  string           `json:"status"`
		Error   jsontext.Value   `json:"error"`
		Output  []jsontext.Value `json:"output"`
		Details struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage struct {
			Total count `json:"total_tokens"`
		} `json:"usage"`
	}
}

func (a *response) event(data jsontext.Value) (bool, error) {
	var e struct {
		Type     string         `json:"type"`
		Delta    jsontext.Value `json:"delta"`
		Response jsontext.Value `json:"response"`
		Error    jsontext.Value `json:"error"`
	}
	if err := json.Unmarshal(data, &e, lenient); err != nil {
		return false, malformed("an event is none of a Response", err)
	}
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		a.say(textOf(e.Delta))
	case "response.completed", "response.incomplete", "response.failed":
		return true, a.whole(e.Response)
	case "error":
		return false, errorIn(data)
	case "":
		if given(e.Error) {
			return false, errorIn(data)
		}
	}
	return false, nil
}

func (a *response) whole(answer jsontext.Value) error {
	err := json.Unmarshal(answer, &a.told, lenient)
	switch {
	case err != nil:
		return malformed("its answer is no Response", err)
	case given(a.told.Error):
		return errorIn(a.told.Error)
	case a.told.Status == "failed", a.told.Status == "cancelled":
		return &client.ModelError{Temporary: true, Msg: "it gave up without saying why; ask again"}
	case a.told.Output == nil:
		return malformed("its answer has no output", nil)
	}
	a.message = answer
	return nil
}

func (a *response) turn() (client.Turn, error) {
	if a.message == nil {
		return client.Turn{}, cut()
	}
	t := client.Turn{Message: stdjson.RawMessage(a.message), Tokens: int(a.told.Usage.Total)}
	streamed := a.said.Len() > 0
	for _, raw := range a.told.Output {
		kind, parts, err := outputItem(raw)
		if err != nil {
			return client.Turn{}, malformed("an item of its output is none of a Response's", err)
		}
		if kind == "function_call" {
			t.Calls++
		}
		for _, part := range parts {
			t.Refused = t.Refused || part.Type == "refusal"
			if !streamed {
				a.say(part.Text)
				a.say(part.Refusal)
			}
		}
		t.Append = append(t.Append, stdjson.RawMessage(raw))
	}
	switch a.told.Details.Reason {
	case "max_output_tokens":
		t.CutOff = true
	case "content_filter":
		t.Refused = true
		a.explain("The provider's content filter stopped the answer.")
	}
	t.Text = a.said.String()
	return t, nil
}

// outputPart is a part of an item of type message.
type outputPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// outputItem parses an item of an output: its type, and its parts if it is a message.
func outputItem(raw jsontext.Value) (string, []outputPart, error) {
	var item struct {
		Type    string         `json:"type"`
		Content jsontext.Value `json:"content"`
	}
	if raw.Kind() != '{' {
		return "", nil, errors.New("it is no object")
	}
	if err := json.Unmarshal(raw, &item, lenient); err != nil || item.Type != "message" {
		return item.Type, nil, err
	}
	var parts []outputPart
	err := json.Unmarshal(item.Content, &parts, lenient)
	return item.Type, parts, err
}
