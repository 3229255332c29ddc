package chat

import (
	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
)

// anthropicDialect implements Anthropic's Messages, following its API reference
// (messages and messages-streaming).
var anthropicDialect = dialect{
	base:      "https://api.anthropic.com",
	keys:      []string{"ANTHROPIC_API_KEY"},
	path:      func(*Options) string { return "/v1/messages" },
	keyHeader: "X-Api-Key",
	header:    map[string]string{"Anthropic-Version": "2023-06-01"},
	user:      func(text string) any { return message{Role: "user", Content: text} },
	body:      anthropicBody,
	assemble:  func(s *speech, _ int) assembler { return &blocks{speech: s} },
}

func anthropicBody(o *Options, conversation []stdjson.RawMessage, tools stdjson.RawMessage) any {
	return struct {
		Model     string               `json:"model"`
		MaxTokens int                  `json:"max_tokens"`
		System    string               `json:"system,omitzero"`
		Messages  []stdjson.RawMessage `json:"messages"`
		Tools     stdjson.RawMessage   `json:"tools,omitzero"`
		Stream    bool                 `json:"stream"`
	}{o.Model, o.MaxTokens, o.System, conversation, tools, true}
}

// blocks assembles the blocks of a message.
type blocks struct {
	*speech
	list   []*block
	begun  bool
	ended  bool
	stop   anthropicStop
	tokens anthropicUsage
}

// anthropicStop is the reason why an answer ended.
type anthropicStop struct {
	Reason  string `json:"stop_reason"`
	Details struct {
		Explanation string `json:"explanation"`
	} `json:"stop_details"`
}

// anthropicUsage counts for the whole message; a field that an event leaves out keeps
// its value.
type anthropicUsage struct {
	Input   *count `json:"input_tokens"`
	Created *count `json:"cache_creation_input_tokens"`
	Cached  *count `json:"cache_read_input_tokens"`
	Output  *count `json:"output_tokens"`
}

type anthropicEvent struct {
	Type    string         `json:"type"`
	Message jsontext.Value `json:"message"`
	Index   int            `json:"index"`
	Block   jsontext.Value `json:"content_block"`
	Delta   jsontext.Value `json:"delta"`
	Usage   anthropicUsage `json:"usage"`
}

func (a *blocks) event(data jsontext.Value) (bool, error) {
	var e anthropicEvent
	err := json.Unmarshal(data, &e, lenient)
	if err != nil {
		return false, malformed("an event is none of a Message", err)
	}
	switch e.Type {
	case "message_start":
		return false, a.start(e.Message)
	case "content_block_start":
		if e.Index != len(a.list) {
			return false, malformed("the blocks of its answer are out of order", nil)
		}
		return false, a.open(e.Block)
	case "content_block_delta":
		if e.Index < 0 || e.Index >= len(a.list) {
			return false, malformed("its answer continues a block that never began", nil)
		}
		err = a.list[e.Index].grow(e.Delta, a.speech)
	case "message_delta":
		a.tokens.update(e.Usage)
		err = json.Unmarshal(e.Delta, &a.stop, lenient)
	case "message_stop":
		a.ended = true
		return true, nil
	case "error":
		return false, errorIn(data)
	}
	if err != nil {
		return false, malformed("an event is none of a Message", err)
	}
	return false, nil // ping, content_block_stop and future types
}

// start processes a message; a stream begins with an empty one.
func (a *blocks) start(whole jsontext.Value) error {
	var m struct {
		anthropicStop

		Content []jsontext.Value `json:"content"`
		Usage   anthropicUsage   `json:"usage"`
	}
	if err := json.Unmarshal(whole, &m, lenient); err != nil || m.Content == nil {
		return malformed("its answer is no Message", err)
	}
	a.begun, a.stop = true, m.anthropicStop
	a.tokens.update(m.Usage)
	for _, b := range m.Content {
		if err := a.open(b); err != nil {
			return err
		}
	}
	return nil
}

func (a *blocks) open(start jsontext.Value) error {
	b, err := newBlock(start)
	if err != nil {
		return malformed("a block of its answer is none of a Message's", err)
	}
	a.list = append(a.list, b)
	if b.kind == "text" {
		a.say(b.first["text"])
	}
	return nil
}

func (a *blocks) whole(answer jsontext.Value) error {
	var told struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(answer, &told, lenient) == nil && told.Type == "error" {
		return errorIn(answer)
	}
	a.ended = true
	return a.start(answer)
}

func (u *anthropicUsage) update(later anthropicUsage) {
	for _, f := range []struct {
		now   **count
		later *count
	}{{&u.Input, later.Input}, {&u.Created, later.Created}, {&u.Cached, later.Cached}, {&u.Output, later.Output}} {
		if f.later != nil {
			*f.now = f.later
		}
	}
}

func (u *anthropicUsage) total() int {
	var n count
	for _, c := range []*count{u.Input, u.Created, u.Cached, u.Output} {
		if c != nil {
			n += *c
		}
	}
	return int(n)
}

func (a *blocks) turn() (client.Turn, error) {
	if !a.begun || !a.ended {
		return client.Turn{}, cut()
	}
	t := client.Turn{Tokens: a.tokens.total(), Refused: a.stop.Reason == "refusal"}
	t.CutOff = a.stop.Reason == "max_tokens" || a.stop.Reason == "model_context_window_exceeded"
	if t.Refused {
		why := a.stop.Details.Explanation
		if why == "" {
			why = "The provider declined to answer."
		}
		a.explain(why)
	}
	answer := anthropicMessage{Role: "assistant", Content: []jsontext.Value{}, Stop: a.stop.Reason}
	back := answer
	back.Stop = ""
	for _, b := range a.list {
		if b.kind == "tool_use" {
			t.Calls++
		}
		answer.Content = append(answer.Content, b.written(false))
		if !b.blank() {
			back.Content = append(back.Content, b.written(true))
		}
	}
	var err error
	if t.Message, err = json.Marshal(answer, written); err != nil {
		return client.Turn{}, malformed("its answer cannot be put together", err)
	}
	if len(back.Content) > 0 {
		item, _ := json.Marshal(back, written) // it is part of the answer
		t.Append = []stdjson.RawMessage{item}
	}
	t.Text = a.said.String()
	return t, nil
}

// anthropicMessage is a message of the model. When it is sent back, it has no stop
// reason and must not be empty: an empty message is left out.
type anthropicMessage struct {
	Role    string           `json:"role"`
	Content []jsontext.Value `json:"content"`
	Stop    string           `json:"stop_reason,omitzero"`
}
