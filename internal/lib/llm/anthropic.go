package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
)

// anthropic is the API of messages, following Anthropic's reference (messages and tool use).
// An object is requested as the input of a tool.
var anthropic = api{service: anthropicService, standard: "claude-haiku-4-5", request: anthropicRequest, read: anthropicReply}

const (
	// maxOutput bounds the answer in tokens; the API needs a bound.
	maxOutput = 8192
	// answerTool is the tool whose input is the answer.
	answerTool = "answer"
)

func anthropicRequest(model string, p prompt) outward.Request {
	type toolOf struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	}
	body := struct {
		Model     string         `json:"model"`
		MaxTokens int            `json:"max_tokens"`
		System    string         `json:"system"`
		Messages  []message      `json:"messages"`
		Tools     []toolOf       `json:"tools,omitempty"`
		Choice    map[string]any `json:"tool_choice,omitempty"`
	}{Model: model, MaxTokens: maxOutput, System: p.system, Messages: []message{{"user", p.user}}}
	if p.schema != nil && !p.loose {
		body.Tools = []toolOf{{answerTool, "Takes the answer.", p.schema}}
		body.Choice = map[string]any{"type": "tool", "name": answerTool}
	}
	return outward.Request{Method: http.MethodPost, Path: "v1/messages", JSON: body}
}

func anthropicReply(body []byte) (reply, error) {
	var got struct {
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		Stop    string `json:"stop_reason"`
		Details struct {
			Explanation string `json:"explanation"`
		} `json:"stop_details"`
		Usage struct {
			Input   int `json:"input_tokens"`
			Created int `json:"cache_creation_input_tokens"`
			Cached  int `json:"cache_read_input_tokens"`
			Output  int `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &got); err != nil || got.Content == nil {
		return reply{}, errors.New("it is no message")
	}
	r := reply{input: got.Usage.Input + got.Usage.Created + got.Usage.Cached, output: got.Usage.Output, cut: got.Stop == "max_tokens"}
	if got.Stop == "refusal" {
		if r.refused = got.Details.Explanation; r.refused == "" {
			r.refused = "it gave no reason"
		}
	}
	var text strings.Builder
	for _, block := range got.Content {
		switch block.Type {
		case "tool_use":
			r.text = string(block.Input)
			return r, nil
		case "text":
			text.WriteString(block.Text)
		}
	}
	r.text = text.String()
	return r, nil
}
