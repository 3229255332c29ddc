package llm

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/outward"
)

// openAI is the API of chat completions, following OpenAI's reference (chat/create).
var openAI = api{service: openAIService, standard: openai.TextModel, request: openAIRequest, read: openAIReply}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func openAIRequest(model string, p prompt) outward.Request {
	body := struct {
		Model    string         `json:"model"`
		Messages []message      `json:"messages"`
		Format   map[string]any `json:"response_format,omitempty"`
	}{Model: model, Messages: []message{{"system", p.system}, {"user", p.user}}}
	switch {
	case p.schema != nil && p.loose:
		body.Format = map[string]any{"type": "json_object"}
	case p.schema != nil:
		// Without "strict": that mode takes few schemas, and the answer is validated anyway.
		body.Format = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": p.schema}}
	}
	return outward.Request{Method: http.MethodPost, Path: "chat/completions", JSON: body}
}

func openAIReply(body []byte) (reply, error) {
	var got struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
				Refusal string `json:"refusal"`
			} `json:"message"`
			Finish string `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Input  int `json:"prompt_tokens"`
			Output int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return reply{}, errors.New("it is no chat completion")
	}
	r := reply{input: got.Usage.Input, output: got.Usage.Output}
	if len(got.Choices) == 0 {
		return r, errors.New("it has no choice")
	}
	choice := got.Choices[0]
	r.text, r.refused, r.cut = choice.Message.Content, choice.Message.Refusal, choice.Finish == "length"
	if choice.Finish == "content_filter" && r.refused == "" {
		r.refused = "its content filter stopped the answer"
	}
	return r, nil
}
