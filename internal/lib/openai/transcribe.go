package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// TranscriptionModel is the model where neither the caller nor the service names one.
const TranscriptionModel = "whisper-1"

// Recording is speech to be written down.
type Recording struct {
	File  outward.File
	Model string
	// Language and Prompt help the model, and may be empty.
	Language, Prompt string
	// Format is json, text, srt, vtt or verbose_json.
	Format string
	// English asks for a translation into English.
	English bool
}

// Transcript is the text of a recording.
type Transcript struct {
	Model string
	// Text is subtitles if the format is srt or vtt.
	Text string
	// Language and Seconds are empty if the endpoint does not report them.
	Language string
	Seconds  float64
	Segments []Segment
}

// Segment is a part of a transcript, with its times in seconds.
type Segment struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Text  string  `json:"text"`
}

type transcriptAnswer struct {
	Text     *string     `json:"text"`
	Language string      `json:"language"`
	Duration tool.Number `json:"duration"`
	Segments []Segment   `json:"segments"`
	Usage    struct {
		Input   int     `json:"input_tokens"`
		Output  int     `json:"output_tokens"`
		Seconds float64 `json:"seconds"`
	} `json:"usage"`
}

// Transcribe sends a recording to a model and returns its text.
func (c *Client) Transcribe(ctx context.Context, r Recording) (*Transcript, error) {
	r.File.Field = "file"
	model := c.Model(r.Model, "stt_model", TranscriptionModel)
	form := &outward.Form{Files: []outward.File{r.File}}
	form.Add("model", model)
	form.Add("language", r.Language)
	form.Add("prompt", r.Prompt)
	form.Add("response_format", r.Format)
	path := "audio/transcriptions"
	if r.English {
		path = "audio/translations"
	} else if r.Format == "verbose_json" {
		form.Add("timestamp_granularities[]", "segment")
	}
	text, err := c.Bytes(ctx, outward.Request{Method: http.MethodPost, Path: path, Form: form, Accept: "*/*", Slow: true})
	if err != nil {
		return nil, err
	}
	t := &Transcript{Model: model}
	switch r.Format {
	case "text", "srt", "vtt":
		return t, c.plain(t, r.Format, text)
	default:
		return t, c.structured(t, text)
	}
}

// structured reads an answer in JSON.
func (c *Client) structured(t *Transcript, text []byte) error {
	var got transcriptAnswer
	if err := json.Unmarshal(text, &got); err != nil {
		return c.Senseless("it is not the JSON of this API").Because(err)
	}
	if got.Text == nil {
		return c.Senseless("it has no text")
	}
	c.reported(t.Model, got.Usage.Input, got.Usage.Output)
	t.Text, t.Language, t.Segments = strings.TrimSpace(*got.Text), got.Language, got.Segments
	for i := range t.Segments {
		t.Segments[i].Text = strings.TrimSpace(t.Segments[i].Text)
	}
	t.Seconds, _ = json.Number(got.Duration).Float64() // 0 if it is missing
	if t.Seconds <= 0 {
		t.Seconds = max(0, got.Usage.Seconds)
	}
	return nil
}

// plain reads an answer that is the text itself, or subtitles.
func (c *Client) plain(t *Transcript, format string, text []byte) error {
	t.Text = strings.TrimSpace(strings.ToValidUTF8(string(text), "\ufffd"))
	_, timed := lastTime(t.Text)
	switch {
	case strings.HasPrefix(http.DetectContentType(text), "text/html"):
		return c.Senseless("it is a web page")
	case format == "vtt" && !strings.HasPrefix(strings.TrimPrefix(t.Text, "\ufeff"), "WEBVTT"), format == "srt" && t.Text != "" && !timed:
		return c.Senseless("it is not subtitles of the format " + format)
	}
	t.Seconds, _ = lastTime(t.Text)
	if format == "text" {
		t.Seconds = 0
	}
	return nil
}
