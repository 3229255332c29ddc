package openai

import (
	"context"
	"encoding/json"
	"strings"
)

// TextModel is the model where the service names none.
const TextModel = "gpt-4o-mini"

// Ask asks a model a question, and decodes the JSON object that it answers with. It returns
// the model.
func (c *Client) Ask(ctx context.Context, question string, answer any) (string, error) {
	return c.chat(ctx, c.Model("", "text_model", TextModel), []chatPart{{Type: "text", Text: question}}, answer)
}

// chat sends one message to a model, and decodes the JSON object that it answers with.
func (c *Client) chat(ctx context.Context, model string, parts []chatPart, answer any) (string, error) {
	var got chatAnswer
	err := c.post(ctx, "chat/completions", chatRequest{
		Model:    model,
		Messages: []chatMessage{{Role: "user", Content: parts}},
		Format:   map[string]any{"type": "json_object"},
	}, &got)
	if err != nil {
		return "", err
	}
	c.Spend(model, got.Usage.Input, got.Usage.Output)
	if len(got.Choices) == 0 {
		return "", c.Senseless("it has no choice")
	}
	text := strings.TrimSpace(got.Choices[0].Message.Content)
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "```json"), "```"), "```")
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		return "", c.Senseless("the model did not answer with the JSON object that was asked for")
	}
	return model, nil
}
