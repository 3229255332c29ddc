package openai

import (
	"context"
	"strings"
)

// Sight is a question about an image.
type Sight struct {
	Question string
	// Image is a data: URL.
	Image string
	// Detail is low, high or auto.
	Detail string
	// MaxTokens bounds the answer; 0 leaves it to the model.
	MaxTokens int
}

// Seen is the answer of a model to a Sight.
type Seen struct {
	Model, Text string
	// Cut reports that the answer ended at MaxTokens.
	Cut bool
}

type lookRequest struct {
	Model     string        `json:"model"`
	Messages  []lookMessage `json:"messages"`
	MaxTokens int           `json:"max_tokens,omitempty"`
}

type lookMessage struct {
	Role    string     `json:"role"`
	Content []lookPart `json:"content"`
}

type lookPart struct {
	Type  string     `json:"type"`
	Text  string     `json:"text,omitempty"`
	Image *lookImage `json:"image_url,omitempty"`
}

type lookImage struct {
	URL    string `json:"url"`
	Detail string `json:"detail"`
}

type lookAnswer struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage usage `json:"usage"`
}

// Look asks a model a question about an image, and returns its answer in words.
func (c *Client) Look(ctx context.Context, s Sight) (*Seen, error) {
	model := c.Model("", "vision_model", VisionModel)
	var got lookAnswer
	err := c.slow(ctx, "chat/completions",
		lookRequest{Model: model, MaxTokens: s.MaxTokens, Messages: []lookMessage{{Role: "user", Content: []lookPart{
			{Type: "text", Text: s.Question},
			{Type: "image_url", Image: &lookImage{s.Image, s.Detail}},
		}}}}, &got)
	if err != nil {
		return nil, err
	}
	c.reported(model, got.Usage.Input, got.Usage.Output)
	if len(got.Choices) == 0 {
		return nil, c.Senseless("it has no choice")
	}
	choice := got.Choices[0]
	seen := &Seen{Model: model, Text: strings.TrimSpace(choice.Message.Content), Cut: choice.FinishReason == "length"}
	if seen.Text == "" {
		seen.Text = strings.TrimSpace(choice.Message.Refusal)
	}
	if seen.Text == "" {
		return nil, c.Senseless("the model answered nothing")
	}
	return seen, nil
}
