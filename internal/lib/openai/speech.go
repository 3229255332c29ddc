package openai

import (
	"context"
	"net/http"

	"github.com/helve-dev/helve/internal/lib/outward"
)

// SpeechModel is the model where neither the caller nor the service names one.
const SpeechModel = "tts-1"

// Speech is a text to be spoken.
type Speech struct {
	Model string  `json:"model"`
	Text  string  `json:"input"`
	Voice string  `json:"voice"`
	Speed float64 `json:"speed"`
	// Format is mp3, opus, aac, flac, wav or pcm.
	Format string `json:"response_format"`
}

// Speak returns the answer with the sound of a text, and the model. The caller reads, bounds
// and closes its body.
func (c *Client) Speak(ctx context.Context, s Speech) (*http.Response, string, error) {
	s.Model = c.Model(s.Model, "tts_model", SpeechModel)
	resp, err := c.Do(ctx, outward.Request{Method: http.MethodPost, Path: "audio/speech", JSON: s, Accept: "*/*", Slow: true})
	return resp, s.Model, err
}
