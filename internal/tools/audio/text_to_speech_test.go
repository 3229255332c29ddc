package audio

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTextToSpeech(t *testing.T) {
	var sent map[string]any
	sound, kind := "ID3 sound", "audio/mpeg"
	call, _ := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || r.URL.Path != "/v1/audio/speech" ||
			r.Header.Get("Authorization") != "Bearer k1" {
			t.Errorf("%s: %v", r.URL, err)
		}
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, sound)
	})
	text := strings.Repeat("word ", 200) + "é"
	tooltest.Run(t, Set, "text_to_speech", call, []tooltest.Case{
		{Name: "to a path", Args: `{"text":"` + text + `","outputPath":"new/a.mp3","speed":2}`, Check: func(t *testing.T, res tool.Result) {
			want := textToSpeechResult{
				Path: "new/a.mp3", Format: "mp3", Size: 9, Duration: 40.2, EstimatedDuration: "~2 minutes", Voice: "alloy", Model: "tts-1", Speed: 2,
				Text: strings.Repeat("word ", 20) + "...", TextLength: 1001,
			}
			if diff := cmp.Diff(want, result[textToSpeechResult](t, res)); diff != "" || content(t, call.Files, "new/a.mp3") != sound {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]any{"model": "tts-1", "input": text, "voice": "alloy", "speed": 2.0, "response_format": "mp3"},
				sent); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if res.Text != "Wrote new/a.mp3 (mp3, about 40.2 s, 9 bytes)." {
				t.Errorf("text %q", res.Text)
			}
		}},
		{Name: "chosen name", Args: `{"text":"Dinner is ready!","voice":"nova","model":"tts-1-hd","speed":0,"format":"opus"}`,
			Check: func(t *testing.T, res tool.Result) {
				got := result[textToSpeechResult](t, res)
				if !strings.HasPrefix(got.Path, "dinner-is-ready-") || !strings.HasSuffix(got.Path, ".opus") ||
					content(t, call.Files, got.Path) != sound || got.Speed != 1 || got.EstimatedDuration != "~2 seconds" ||
					got.Text != "Dinner is ready!" {
					t.Errorf("%+v", got)
				}
				if sent["model"] != "tts-1-hd" || sent["voice"] != "nova" || sent["speed"] != 1.0 {
					t.Errorf("sent %v", sent)
				}
			}},
		{Name: "slowest", Args: `{"text":"x","speed":-3}`, Check: func(t *testing.T, _ tool.Result) {
			if sent["speed"] != 0.25 {
				t.Errorf("speed %v, want 0.25", sent["speed"])
			}
		}},
		{Name: "fastest", Args: `{"text":"x","speed":9,"outputPath":"x.wav"}`, Check: func(t *testing.T, res tool.Result) {
			if sent["speed"] != 4.0 || !strings.Contains(strings.Join(res.Notes, " "), "The file is mp3, although its name ends in .wav") {
				t.Errorf("speed %v, want 4; notes %q", sent["speed"], res.Notes)
			}
		}},
		{Name: "over a file", Args: `{"text":"x","path":"x.wav"}`, Check: func(t *testing.T, res tool.Result) {
			if result[textToSpeechResult](t, res).Path != "x.wav" {
				t.Errorf("result %s", res.Value)
			}
		}},
	})
	sound, kind = tone(1.5), "application/octet-stream"
	tooltest.Run(t, Set, "text_to_speech", call, []tooltest.Case{
		{Name: "wav is measured", Args: `{"text":"x","format":"wav","outputPath":"m.wav"}`, Check: func(t *testing.T, res tool.Result) {
			if got := result[textToSpeechResult](t, res); math.Abs(got.Duration-1.5) > 0.001 {
				t.Errorf("duration %v, want 1.5", got.Duration)
			}
		}},
	})
	sound = strings.Repeat("\x00\x01", 24_000)
	tooltest.Run(t, Set, "text_to_speech", call, []tooltest.Case{
		{Name: "pcm is measured", Args: `{"text":"x","format":"pcm","outputPath":"m.pcm"}`, Check: func(t *testing.T, res tool.Result) {
			if got := result[textToSpeechResult](t, res); got.Duration != 1 {
				t.Errorf("duration %v, want 1", got.Duration)
			}
		}},
	})
}

// TestTextToSpeechBeforePaying: a call that cannot succeed costs nothing.
func TestTextToSpeechBeforePaying(t *testing.T) {
	call, _ := provider(t, nil, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s arrived", r.URL) })
	put(t, call.Files, "file", "x")
	if err := call.Files.MkdirAll("dir"); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "text_to_speech", call, []tooltest.Case{
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
		{Name: "blank", Args: `{"text":" "}`, Fails: tool.ValidationError, Message: "empty"},
		{Name: "too long", Args: `{"text":"` + strings.Repeat("x", 4097) + `"}`, Fails: tool.ValidationError, Message: "4096"},
		{Name: "voice", Args: `{"text":"x","voice":"me"}`, Fails: tool.ValidationError, Message: "alloy"},
		{Name: "outside", Args: `{"text":"x","outputPath":"../x.mp3"}`, Fails: tool.PathNotAllowed},
		{Name: "directory", Args: `{"text":"x","outputPath":"dir"}`, Fails: tool.ValidationError, Message: "is a directory"},
		{Name: "slash", Args: `{"text":"x","outputPath":"none/"}`, Fails: tool.ValidationError, Message: "is a directory"},
		{Name: "below a file", Args: `{"text":"x","outputPath":"file/x.mp3"}`, Fails: tool.ValidationError},
	})
	call.Secrets = accounts{}
	refused(t, "text_to_speech", call, `{"text":"x"}`, tool.NotConfigured,
		"helve config set openai --stdin api_key, or helve config set elevenlabs --stdin api_key")
	call.Secrets = accounts{"elevenlabs": {"api_key": "e1"}}
	refused(t, "text_to_speech", call, `{"text":"x","format":"flac"}`, tool.Unsupported, "choose mp3, opus or pcm")
}

// TestTextToSpeechHostile: only complete sound within the bound replaces a file, and a
// request is sent once.
func TestTextToSpeechHostile(t *testing.T) {
	var requests atomic.Int32
	var answer http.HandlerFunc
	call, _ := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answer(w, r)
	})
	put(t, call.Files, "kept.mp3", "old")
	says := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		kind   tool.Kind
		says   string
	}{
		"page":             {says(200, "text/html", "<html>"), tool.ExecutionError, "not sound"},
		"page as sound":    {says(200, "audio/mpeg", "<!DOCTYPE html><title>x"), tool.ExecutionError, "not sound"},
		"JSON":             {says(200, "application/json", `{"error":"x"}`), tool.ExecutionError, "not sound"},
		"text as anything": {says(200, "application/octet-stream", "hello"), tool.ExecutionError, "not sound"},
		"nothing":          {says(200, "audio/mpeg", ""), tool.ExecutionError, "not sound"},
		"refused":          {says(401, "application/json", `{"error":{"message":"k1"}}`), tool.NotConfigured, "helve config set openai"},
		"busy":             {says(429, "", ""), tool.RateLimited, "seconds"},
		"broken":           {says(500, "", ""), tool.NetworkError, "status 500"},
		"no such voice":    {says(400, "application/json", `{"error":{"message":"no such voice"}}`), tool.ExecutionError, "no such voice"},
		"a gigabyte": {
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "audio/mpeg"); endless(w) }, tool.ExecutionError,
			"may have been charged, but the sound could not be stored: the answer of",
		},
		"half of the sound": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9999")
			says(200, "audio/mpeg", strings.Repeat("\xff\xfb", 1000))(w, nil)
		}, tool.NetworkError, "may have been charged"},
	} {
		answer = tt.answer
		requests.Store(0)
		tooltest.Run(t, Set, "text_to_speech", call, []tooltest.Case{
			{Name: name, Args: `{"text":"x","outputPath":"kept.mp3"}`, Fails: tt.kind, Message: tt.says},
		})
		if n := requests.Load(); n != 1 || content(t, call.Files, "kept.mp3") != "old" {
			t.Errorf("%s: %d requests, and the file holds %d bytes", name, n, len(content(t, call.Files, "kept.mp3")))
		}
	}
}

// TestTextToSpeechFallsOver: request and answer have the form of ElevenLabs' API reference,
// "Create speech", and it is used if OpenAI certainly did nothing.
func TestTextToSpeechFallsOver(t *testing.T) {
	for status, want := range map[int]tool.Kind{429: "", 500: "", 401: "", 400: tool.ExecutionError, 502: tool.NetworkError} {
		var first, second atomic.Int32
		var sent map[string]any
		call, url := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/audio/speech" {
				first.Add(1)
				w.WriteHeader(status)
				return
			}
			second.Add(1)
			if err := json.NewDecoder(r.Body).Decode(&sent); err != nil ||
				r.URL.String() != "/v1/text-to-speech/v%2F1?output_format=mp3_44100_128" ||
				r.Header.Get("Xi-Api-Key") != "e1" || len(r.Header["Authorization"]) > 0 {
				t.Errorf("%s with %v: %v", r.URL, r.Header, err)
			}
			w.Header().Set("Content-Type", "audio/mpeg")
			_, _ = io.WriteString(w, "ID3 sound")
		})
		call.Secrets.(accounts)["elevenlabs"] = map[string]string{"api_key": "e1", "base_url": url, "voice_id": "v/1"}
		c := tooltest.Case{Name: fmt.Sprint(status), Args: `{"text":"Hello","speed":3}`, Fails: want}
		if want == "" {
			c.Check = func(t *testing.T, res tool.Result) {
				notes := strings.Join(res.Notes, " ")
				if got := result[textToSpeechResult](t, res); got.Model != elevenModel || got.Voice != "v/1" || got.Speed != 1.2 ||
					!strings.Contains(notes, "elevenlabs spoke the text, because openai failed") || !strings.Contains(notes, "no voice alloy") {
					t.Errorf("%+v, notes %q", got, res.Notes)
				}
				if diff := cmp.Diff(map[string]any{"text": "Hello", "model_id": elevenModel, "voice_settings": map[string]any{"speed": 1.2}},
					sent); diff != "" {
					t.Errorf("request (-want +got):\n%s", diff)
				}
			}
		}
		tooltest.Run(t, Set, "text_to_speech", call, []tooltest.Case{c})
		if first.Load() != 1 || (second.Load() == 1) != (want == "") {
			t.Errorf("status %d: %d and %d requests", status, first.Load(), second.Load())
		}
	}
	call, url := provider(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"detail":{"status":"quota_exceeded","message":"This request exceeds your quota."}}`)
	})
	call.Secrets.(accounts)["elevenlabs"] = map[string]string{"api_key": "e1", "base_url": url}
	refused(t, "text_to_speech", call, `{"text":"x"}`, tool.NotConfigured, "before that, openai failed")
	refused(t, "text_to_speech", call, `{"text":"x","format":"flac"}`, tool.NotConfigured, `service "openai"`)
}
