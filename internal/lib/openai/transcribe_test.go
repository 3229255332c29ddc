package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// verbose is an answer as the API reference shows it, "Create transcription", verbose_json.
const verbose = `{"task":"transcribe","language":"english","duration":8.470000267028809,"text":"The beach was a popular spot.","segments":[{"id":0,"seek":0,"start":0.0,"end":3.319999933242798,"text":" The beach","tokens":[50364,440],"temperature":0.0,"avg_logprob":-0.28,"compression_ratio":1.23,"no_speech_prob":0.0098}],"usage":{"type":"duration","seconds":9}}`

// TestTranscribe: requests and answers have the forms of "Create transcription" and "Create
// translation".
func TestTranscribe(t *testing.T) {
	file := map[string]string{"file": "a.wav audio/wav RIFF"}
	for name, tt := range map[string]struct {
		r     Recording
		form  map[string]string
		reply string
		want  Transcript
		usage string
	}{
		"json": {
			Recording{Format: "json", Language: "de", Prompt: "ZyntriQix"},
			map[string]string{"model": TranscriptionModel, "language": "de", "prompt": "ZyntriQix", "response_format": "json"},
			`{"text":" Hallo. ","usage":{"type":"tokens","input_tokens":14,"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45,"total_tokens":59}}`,
			Transcript{Text: "Hallo."}, "14 45 whisper-1",
		},
		"length": {
			Recording{Format: "json"}, map[string]string{"model": TranscriptionModel, "response_format": "json"},
			`{"text":"","usage":{"type":"duration","seconds":9}}`, Transcript{Seconds: 9}, "",
		},
		"verbose": {
			Recording{Format: "verbose_json"},
			map[string]string{"model": TranscriptionModel, "response_format": "verbose_json", "timestamp_granularities[]": "segment"}, verbose,
			Transcript{
				Text: "The beach was a popular spot.", Language: "english", Seconds: 8.470000267028809,
				Segments: []Segment{{0, 3.319999933242798, "The beach"}},
			}, "",
		},
		"length as text": {
			Recording{Format: "json"}, map[string]string{"model": TranscriptionModel, "response_format": "json"}, `{"text":"x","duration":"8.47"}`,
			Transcript{Text: "x", Seconds: 8.47}, "",
		},
		"text": {
			Recording{Format: "text", Model: "m2"}, map[string]string{"model": "m2", "response_format": "text"}, "Hallo, 1 --> 2.\n",
			Transcript{Text: "Hallo, 1 --> 2."}, "",
		},
		"srt": {
			Recording{Format: "srt"}, map[string]string{"model": TranscriptionModel, "response_format": "srt"},
			"1\n00:00:00,000 --> 01:00:03,500\nHallo\n\n", Transcript{Text: "1\n00:00:00,000 --> 01:00:03,500\nHallo", Seconds: 3603.5}, "",
		},
		"no speech": {
			Recording{Format: "srt"}, map[string]string{"model": TranscriptionModel, "response_format": "srt"}, "\n", Transcript{}, "",
		},
		"vtt": {
			Recording{Format: "vtt"},
			map[string]string{"model": TranscriptionModel, "response_format": "vtt"}, "WEBVTT\n\n00:00.000 --> 00:03.500 align:start\nHallo\n",
			Transcript{Text: "WEBVTT\n\n00:00.000 --> 00:03.500 align:start\nHallo", Seconds: 3.5}, "",
		},
		"english": {
			Recording{Format: "verbose_json", English: true}, map[string]string{"model": TranscriptionModel, "response_format": "verbose_json"},
			`{"task":"translate","language":"english","duration":2,"text":"Hello","segments":[]}`,
			Transcript{Text: "Hello", Language: "english", Seconds: 2, Segments: []Segment{}}, "",
		},
	} {
		c, call := with(t, nil, func(w http.ResponseWriter, r *http.Request) {
			got := form(t, r)
			tt.form["file"] = file["file"]
			path := "/v1/audio/transcriptions"
			if tt.r.English {
				path = "/v1/audio/translations"
			}
			if diff := cmp.Diff(tt.form, got); diff != "" || r.URL.Path != path {
				t.Errorf("%s: %s (-want +got):\n%s", name, r.URL, diff)
			}
			_, _ = io.WriteString(w, tt.reply)
		})
		tt.r.File = outward.File{Name: "a.wav", Type: "audio/wav", Size: 4, Data: strings.NewReader("RIFF")}
		tt.want.Model = tt.form["model"]
		got, err := c.Transcribe(t.Context(), tt.r)
		if diff := cmp.Diff(&tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if usage := spent(call); usage != tt.usage {
			t.Errorf("%s: usage %q, want %q", name, usage, tt.usage)
		}
	}
}

func TestTranscribeNonsense(t *testing.T) {
	for reply, format := range map[string]string{
		`<html>`: "json", `{"text":5}`: "json", `{}`: "json", `{"text":"x","duration":"soon"}`: "json", "": "verbose_json",
		"<!DOCTYPE html><p>Sign in": "text", "hello": "srt", "1 --> soon": "srt", "a --> 1:2:3:4": "srt", "-->": "srt", "subtitles": "vtt",
	} {
		c, _ := with(t, nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, reply) })
		_, err := c.Transcribe(t.Context(), Recording{
			Format: format, File: outward.File{Name: "a.wav", Type: "audio/wav", Data: strings.NewReader("")},
		})
		if e := tool.AsError(err); e == nil || e.Kind != tool.ExecutionError || !strings.Contains(e.Msg, "makes no sense") {
			t.Errorf("%s: %v, want execution_error", reply, err)
		}
	}
}
