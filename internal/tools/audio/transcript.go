package audio

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/tool"
)

// segmentText is a part of a transcript.
type segmentText struct {
	Start float64 `json:"start" doc:"Where it begins, in seconds."`
	End   float64 `json:"end"`
	Text  string  `json:"text"`
}

// transcript is the part that the results of speech_to_text and translate_audio share.
type transcript struct {
	Source         string        `json:"source"`
	SourceType     string        `json:"sourceType" enum:"file,url"`
	Format         string        `json:"format" doc:"Format of the recording."`
	FileSize       int64         `json:"fileSize" doc:"Size of the recording, in bytes."`
	FileSizeMB     float64       `json:"fileSizeMB"`
	Text           string        `json:"text" doc:"The text; subtitles for the formats srt and vtt."`
	Language       string        `json:"language"`
	Duration       float64       `json:"duration,omitempty" doc:"Length of the recording in seconds, if it is known."`
	Segments       []segmentText `json:"segments,omitempty" doc:"Parts of the text with their times, for the format verbose_json."`
	Prompt         string        `json:"prompt,omitempty"`
	Model          string        `json:"model"`
	ResponseFormat string        `json:"responseFormat"`
}

// transcribe sends a recording to a model.
func transcribe(ctx context.Context, call *tool.Call, use, ref string, r openai.Recording) (*transcript, error) {
	client, err := openai.Open(ctx, call, use)
	if err != nil {
		return nil, err
	}
	speech, err := record(ctx, call, ref)
	if err != nil {
		return nil, err
	}
	defer func() { _ = speech.data.Close() }() // it was only read
	r.File = speech.file()
	got, err := client.Transcribe(ctx, r)
	if err != nil {
		return nil, err
	}
	t := &transcript{
		Source: speech.shown, SourceType: speech.kind, Format: speech.format, FileSize: speech.size,
		FileSizeMB: round(float64(speech.size)/(1<<20), 2), Text: got.Text, Language: got.Language, Duration: round(got.Seconds, 3),
		Prompt: r.Prompt, Model: got.Model, ResponseFormat: r.Format,
	}
	if t.Duration == 0 {
		t.Duration = round(speech.seconds, 3)
	}
	for _, s := range got.Segments {
		t.Segments = append(t.Segments, segmentText{round(s.Start, 3), round(s.End, 3), s.Text})
	}
	return t, nil
}

// present shows the text, or its segments with their times.
func (t *transcript) present() string {
	if len(t.Segments) == 0 {
		return t.Text
	}
	var text strings.Builder
	for _, s := range t.Segments {
		fmt.Fprintf(&text, "[%v s to %v s] %s\n", s.Start, s.End, s.Text)
	}
	return text.String()
}
