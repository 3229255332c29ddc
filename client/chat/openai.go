package chat

import (
	stdjson "encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
)

const openAIBase = "https://api.openai.com/v1"

// openAIDialect implements Chat Completions, following OpenAI's API reference
// (chat/create and chat/streaming).
var openAIDialect = dialect{
	base:      openAIBase,
	keys:      []string{"OPENAI_API_KEY"},
	path:      func(*Options) string { return "/chat/completions" },
	keyHeader: "Authorization", keyPrefix: "Bearer ",
	user: func(text string) any { return message{Role: "user", Content: text} },
	body: openAIBody,
	assemble: func(s *speech, items int) assembler {
		return &completion{speech: s, calls: callList{items: items}}
	},
}

// message is a person's message to OpenAI and Anthropic.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// openAIBody returns a request. The maximum length of an answer has two field names:
// OpenAI accepts only max_completion_tokens for newer models, and compatible servers
// know the older max_tokens, some of them nothing else.
func openAIBody(o *Options, conversation []stdjson.RawMessage, tools stdjson.RawMessage) any {
	body := struct {
		Model         string               `json:"model"`
		Messages      []stdjson.RawMessage `json:"messages"`
		Tools         stdjson.RawMessage   `json:"tools,omitzero"`
		Newer         int                  `json:"max_completion_tokens,omitzero"`
		Older         int                  `json:"max_tokens,omitzero"`
		Stream        bool                 `json:"stream"`
		StreamOptions map[string]bool      `json:"stream_options"`
	}{Model: o.Model, Messages: conversation, Tools: tools, Stream: true, StreamOptions: map[string]bool{"include_usage": true}}
	if o.System != "" {
		system, _ := json.Marshal(message{Role: "system", Content: o.System}, written)
		body.Messages = slices.Concat([]stdjson.RawMessage{system}, conversation)
	}
	if o.BaseURL == openAIBase {
		body.Newer = o.MaxTokens
	} else {
		body.Older = o.MaxTokens
	}
	return body
}

// completion assembles the chunks of one choice.
type completion struct {
	*speech
	content, refusal []byte
	calls            callList
	answered         bool   // a choice came
	finish           string // finish_reason
	atOnce           bool   // it was not streamed
	tokens           count
}

// chunk is a chunk of an answer, or a whole answer, which has a message in place of a
// delta.
type chunk struct {
	Choices []struct {
		Index        int    `json:"index"`
		Delta        delta  `json:"delta"`
		Message      delta  `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Total count `json:"total_tokens"`
	} `json:"usage"`
	Error jsontext.Value `json:"error"`
}

type delta struct {
	Content   jsontext.Value `json:"content"`
	Refusal   string         `json:"refusal"`
	ToolCalls []fragment     `json:"tool_calls"`
}

func (a *completion) event(data jsontext.Value) (bool, error) {
	var c chunk
	if err := json.Unmarshal(data, &c, lenient); err != nil {
		return false, malformed("an event is no chunk of a chat completion", err)
	}
	if given(c.Error) {
		return false, errorIn(data)
	}
	a.tokens = max(a.tokens, c.Usage.Total)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		a.answered = true
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
		for _, d := range []delta{choice.Delta, choice.Message} {
			a.add(&d)
		}
	}
	return false, nil // the usage follows the finish_reason
}

func (a *completion) add(d *delta) {
	text := contentText(d.Content)
	a.content = append(a.content, text...)
	a.say(text)
	a.refusal = append(a.refusal, d.Refusal...)
	a.say(d.Refusal)
	a.calls.add(d.ToolCalls)
}

// contentText returns the text of content: a text, or a list of parts as some servers
// write it, of which those of type text count.
func contentText(content jsontext.Value) string {
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if content.Kind() != '[' || json.Unmarshal(content, &parts, lenient) != nil {
		return textOf(content)
	}
	var all strings.Builder
	for _, part := range parts {
		if part.Type == "text" {
			all.WriteString(part.Text)
		}
	}
	return all.String()
}

func (a *completion) whole(answer jsontext.Value) error {
	a.atOnce = true
	_, err := a.event(answer)
	return err
}

// turn requires a finish_reason rather than the mark [DONE]: some servers omit the
// mark, and proxies write it even if the stream behind them broke off.
func (a *completion) turn() (client.Turn, error) {
	if !a.atOnce && a.finish == "" {
		return client.Turn{}, cut()
	}
	if !a.answered {
		return client.Turn{}, malformed("its answer has no choice", nil)
	}
	answer := struct {
		Role    string         `json:"role"`
		Content *string        `json:"content"`
		Refusal string         `json:"refusal,omitzero"`
		Calls   []functionCall `json:"tool_calls,omitzero"`
	}{Role: "assistant", Refusal: string(a.refusal), Calls: a.calls.finished()}
	if content := string(a.content); content != "" || answer.Refusal == "" && len(answer.Calls) == 0 {
		answer.Content = &content
	}
	t := client.Turn{Calls: len(answer.Calls), CutOff: a.finish == "length", Tokens: int(a.tokens)}
	t.Refused = answer.Refusal != "" || a.finish == "content_filter"
	if a.finish == "content_filter" {
		a.explain("The provider's content filter stopped the answer.")
	}
	item, err := json.Marshal(answer, written)
	if err != nil {
		return client.Turn{}, malformed("its answer cannot be put together", err)
	}
	t.Message, t.Append, t.Text = item, []stdjson.RawMessage{item}, a.said.String()
	return t, nil
}
