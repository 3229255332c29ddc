package openai

import (
	"context"
	"encoding/json"
)

// Turn is a model's message in a conversation.
type Turn struct {
	Model string
	// Message is the message as the model wrote it, for the next request.
	Message json.RawMessage
	// Text is its content.
	Text  string
	Calls []TurnCall
	// Tokens counts those of the request and the message.
	Tokens int
}

// TurnCall is a call of a tool that the model wants.
type TurnCall struct {
	ID, Name string
	// Arguments holds the text that the model wrote, which may be no JSON.
	Arguments string
}

// TurnTool is a tool that the model may call.
type TurnTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type turnRequest struct {
	Model     string     `json:"model"`
	Messages  []any      `json:"messages"`
	Tools     []turnTool `json:"tools,omitempty"`
	MaxTokens int        `json:"max_tokens"`
}

type turnTool struct {
	Type     string   `json:"type"`
	Function TurnTool `json:"function"`
}

type turnAnswer struct {
	Choices []struct {
		Message json.RawMessage `json:"message"`
	} `json:"choices"`
	Usage usage `json:"usage"`
}

type turnMessage struct {
	Content   string `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Turn sends a conversation to a model and returns its next message, of at most maxTokens.
func (c *Client) Turn(ctx context.Context, messages []any, tools []TurnTool, maxTokens int) (*Turn, error) {
	req := turnRequest{Model: c.Model("", "text_model", TextModel), Messages: messages, MaxTokens: maxTokens}
	for _, t := range tools {
		req.Tools = append(req.Tools, turnTool{"function", t})
	}
	var got turnAnswer
	if err := c.post(ctx, "chat/completions", req, &got); err != nil {
		return nil, err
	}
	c.Spend(req.Model, got.Usage.Input, got.Usage.Output)
	if len(got.Choices) == 0 {
		return nil, c.Senseless("it has no choice")
	}
	turn := &Turn{Model: req.Model, Message: got.Choices[0].Message, Tokens: max(0, got.Usage.Total)}
	var message turnMessage
	if err := json.Unmarshal(turn.Message, &message); err != nil {
		return nil, c.Senseless("its message does not have the form of a chat completion")
	}
	turn.Text = message.Content
	for _, call := range message.ToolCalls {
		turn.Calls = append(turn.Calls, TurnCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	return turn, nil
}
