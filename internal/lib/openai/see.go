package openai

import "context"

// VisionModel is the model where the service names none.
const VisionModel = "gpt-4o-mini"

type chatRequest struct {
	Model    string         `json:"model"`
	Messages []chatMessage  `json:"messages"`
	Format   map[string]any `json:"response_format"`
}

type chatMessage struct {
	Role    string     `json:"role"`
	Content []chatPart `json:"content"`
}

type chatPart struct {
	Type  string         `json:"type"`
	Text  string         `json:"text,omitempty"`
	Image *chatPartImage `json:"image_url,omitempty"`
}

type chatPartImage struct {
	URL string `json:"url"`
}

type chatAnswer struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"`
	} `json:"choices"`
	Usage usage `json:"usage"`
}

// usage holds the tokens that a chat completion consumed.
type usage struct {
	Input  int `json:"prompt_tokens"`
	Output int `json:"completion_tokens"`
	Total  int `json:"total_tokens"`
}

// See asks a model about an image, a data: URL, and decodes the JSON object that it answers
// with. It returns the model.
func (c *Client) See(ctx context.Context, question, image string, answer any) (string, error) {
	return c.chat(ctx, c.Model("", "vision_model", VisionModel), []chatPart{
		{Type: "text", Text: question},
		{Type: "image_url", Image: &chatPartImage{URL: image}},
	}, answer)
}
