package audio

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// heard is a request of a transcription.
type heard struct {
	path, name, data string
	fields           map[string][]string
}

// listener plays a provider of transcriptions.
func listener(t *testing.T, answer *string, got *heard) tool.Call {
	t.Helper()
	call, _ := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
		f, head, err := r.FormFile("file")
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return // the recording broke off
		}
		if err != nil || r.Header.Get("Authorization") != "Bearer k1" || r.ContentLength < 1 {
			t.Errorf("%v, length %d", err, r.ContentLength)
			return
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		*got = heard{r.URL.Path, head.Filename, string(data), r.MultipartForm.Value}
		_, _ = io.WriteString(w, *answer)
	})
	return call
}

func TestSpeechToText(t *testing.T) {
	var got heard
	answer := `{"text":"Hello there."}`
	call := listener(t, &answer, &got)
	wav := tone(1.5)
	put(t, call.Files, "memo.WAV", wav)
	put(t, call.Files, "voice", "\x1aE\xdf\xa3 webm")
	put(t, call.Files, "limit.mp3", "ID3"+strings.Repeat("x", maxRecording-3))
	put(t, call.Files, "over.mp3", "ID3"+strings.Repeat("x", maxRecording-2))
	tooltest.Run(t, Set, "speech_to_text", call, []tooltest.Case{
		{Name: "file", Args: `{"audio":"memo.WAV","prompt":"Zyn"}`, Check: func(t *testing.T, res tool.Result) {
			want := speechToTextResult{transcript{
				Source: "memo.WAV", SourceType: "file", Format: "wav", FileSize: int64(len(wav)), FileSizeMB: 0.02, Text: "Hello there.",
				Language: "auto-detect", Duration: 1.5, Prompt: "Zyn", Model: "whisper-1", ResponseFormat: "json",
			}, false}
			if diff := cmp.Diff(want, result[speechToTextResult](t, res), cmp.AllowUnexported(speechToTextResult{})); diff != "" ||
				res.Text != "Hello there." {
				t.Errorf("text %q, result (-want +got):\n%s", res.Text, diff)
			}
			if diff := cmp.Diff(map[string][]string{"model": {"whisper-1"}, "prompt": {"Zyn"}, "response_format": {"json"}},
				got.fields); diff != "" || got.path != "/v1/audio/transcriptions" || got.name != "audio.wav" || got.data != wav {
				t.Errorf("%s %s (-want +got):\n%s", got.path, got.name, diff)
			}
		}},
		{Name: "by its contents", Args: `{"source":"voice","language":"de"}`, Check: func(t *testing.T, res tool.Result) {
			if r := result[speechToTextResult](t, res); r.Format != "webm" || r.Language != "de" || got.fields["language"][0] != "de" ||
				got.name != "audio.webm" {
				t.Errorf("%+v, sent %v", r, got.fields)
			}
		}},
		{Name: "of the largest size", Args: `{"path":"limit.mp3","language":"auto-detect"}`, Check: func(t *testing.T, res tool.Result) {
			if r := result[speechToTextResult](t, res); r.FileSize != 26_214_400 || r.FileSizeMB != 25 || len(got.data) != 26_214_400 ||
				len(got.fields["language"]) != 0 {
				t.Errorf("%+v, sent %d bytes", r, len(got.data))
			}
		}},
		{Name: "larger", Args: `{"audio":"over.mp3"}`, Fails: tool.FileTooLarge, Message: "Split the audio into smaller segments"},
	})
	answer = `{"task":"transcribe","language":"english","duration":8.4701,"text":"The beach.","segments":[{"id":0,"start":0.0,"end":3.3199,"text":" The beach."}]}`
	for _, args := range []string{`{"audio":"memo.WAV","timestamps":true}`, `{"audio":"memo.WAV","responseFormat":"verbose_json"}`} {
		tooltest.Run(t, Set, "speech_to_text", call, []tooltest.Case{{Name: args, Args: args, Check: func(t *testing.T, res tool.Result) {
			r := result[speechToTextResult](t, res)
			if diff := cmp.Diff([]segmentText{{0, 3.32, "The beach."}}, r.Segments); diff != "" || r.Language != "english" || r.Duration != 8.47 ||
				r.ResponseFormat != "verbose_json" ||
				!r.Timestamps || got.fields["timestamp_granularities[]"][0] != "segment" || res.Text != "[0 s to 3.32 s] The beach.\n" {
				t.Errorf("text %q, %+v (-want +got):\n%s", res.Text, r, diff)
			}
		}}})
	}
	answer = "1\n00:00:00,000 --> 00:00:03,500\nHello\n"
	tooltest.Run(t, Set, "speech_to_text", call,
		[]tooltest.Case{{Name: "srt", Args: `{"audio":"voice","responseFormat":"srt"}`, Check: func(t *testing.T, res tool.Result) {
			if r := result[speechToTextResult](t, res); r.Text != strings.TrimSpace(answer) || r.Duration != 3.5 {
				t.Errorf("%+v", r)
			}
		}}})
	call.Secrets = accounts{}
	refused(t, "speech_to_text", call, `{"audio":"memo.WAV"}`, tool.NotConfigured,
		"(speech_to_text). Set it: helve config set openai --stdin api_key")
}

// TestSpeechToTextByURL: the worker fetches the recording, with and without a declared
// length; the provider sees neither the address nor the name.
func TestSpeechToTextByURL(t *testing.T) {
	var got heard
	answer := `{"text":"Hello."}`
	call := listener(t, &answer, &got)
	url := site(t, &call, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/secret/me.mp3":
			w.Header().Set("Content-Length", "9")
			_, _ = io.WriteString(w, "ID3 sound")
		case "/play":
			w.Header().Set("Content-Type", "audio/ogg; codecs=opus")
			_, _ = io.WriteString(w, "sound ")
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "in parts")
		case "/page.mp3":
			_, _ = io.WriteString(w, "<!DOCTYPE html><title>Sign in</title>")
		case "/lies.mp3":
			w.Header().Set("Content-Length", "100000")
			_, _ = io.WriteString(w, "ID3"+strings.Repeat("x", 9000))
		case "/declares.mp3":
			w.Header().Set("Content-Length", fmt.Sprint(maxRecording+1))
		case "/endless.mp3":
			_ = http.NewResponseController(w).Flush() // so that no length is declared
			endless(w)
		case "/away.mp3":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/empty.mp3":
		default:
			http.NotFound(w, r)
		}
	})
	tooltest.Run(t, Set, "speech_to_text", call, []tooltest.Case{
		{Name: "of known length", Args: `{"audio":"` + url + `/secret/me.mp3?token=1"}`, Check: func(t *testing.T, res tool.Result) {
			if r := result[speechToTextResult](t, res); r.SourceType != "url" || r.Format != "mp3" || r.FileSize != 9 || got.data != "ID3 sound" ||
				got.name != "audio.mp3" {
				t.Errorf("%+v, sent %+v", r, got)
			}
		}},
		{Name: "of unknown length", Args: `{"audio":"` + url + `/play"}`, Check: func(t *testing.T, res tool.Result) {
			if r := result[speechToTextResult](t, res); r.Format != "ogg" || got.data != "sound in parts" {
				t.Errorf("%+v, sent %+v", r, got)
			}
		}},
		{Name: "page", Args: `{"audio":"` + url + `/page.mp3"}`, Fails: tool.ValidationError, Message: "supportedFormats: mp3, mp4"},
		{Name: "broken off", Args: `{"audio":"` + url + `/lies.mp3"}`, Fails: tool.NetworkError, Message: "in the middle of its answer"},
		{Name: "declared too large", Args: `{"audio":"` + url + `/declares.mp3"}`, Fails: tool.FileTooLarge, Message: "26214401"},
		{Name: "endless", Args: `{"audio":"` + url + `/endless.mp3"}`, Fails: tool.FileTooLarge, Message: "Split the audio"},
		{Name: "redirected inside", Args: `{"audio":"` + url + `/away.mp3"}`, Fails: tool.PermissionDenied, Message: "redirected"},
		{Name: "inside", Args: `{"audio":"http://169.254.169.254/x.mp3"}`, Fails: tool.PermissionDenied},
		{
			Name:  "the provider's own host",
			Args:  `{"audio":"` + call.Secrets.(accounts)["openai"]["base_url"] + `/x.mp3"}`,
			Fails: tool.PermissionDenied,
		},
		{Name: "empty", Args: `{"audio":"` + url + `/empty.mp3"}`, Fails: tool.ValidationError, Message: "empty"},
		{Name: "missing", Args: `{"audio":"` + url + `/none.mp3"}`, Fails: tool.NetworkError, Message: "404"},
		{Name: "password", Args: `{"audio":"http://u:secret@example.com/x.mp3"}`, Fails: tool.ValidationError, Message: "without a user name"},
		{Name: "no host", Args: `{"audio":"https:///x.mp3"}`, Fails: tool.ValidationError, Message: "full one"},
	})
}

// TestSpeechToTextRefuses: nothing is sent for a file that is no recording.
func TestSpeechToTextRefuses(t *testing.T) {
	call, _ := provider(t, nil, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s arrived", r.URL) })
	put(t, call.Files, "notes.txt", "hello")
	put(t, call.Files, "empty.mp3", "")
	if err := call.Files.MkdirAll("dir.mp3"); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "speech_to_text", call, []tooltest.Case{
		{
			Name:    "text",
			Args:    `{"audio":"notes.txt"}`,
			Fails:   tool.ValidationError,
			Message: "Unsupported audio format of notes.txt. supportedFormats: mp3, mp4, mpeg, mpga, m4a, wav, webm, ogg, flac.",
		},
		{Name: "empty", Args: `{"audio":"empty.mp3"}`, Fails: tool.ValidationError, Message: "empty"},
		{Name: "directory", Args: `{"audio":"dir.mp3"}`, Fails: tool.ValidationError, Message: "is a directory"},
		{Name: "missing", Args: `{"audio":"none.mp3"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"audio":"../x.mp3"}`, Fails: tool.PathNotAllowed},
		{Name: "absolute", Args: `{"audio":"/etc/passwd"}`, Fails: tool.PathNotAllowed},
		{Name: "another scheme", Args: `{"audio":"file:///etc/passwd"}`, Fails: tool.FileNotFound},
		{Name: "model", Args: `{"audio":"a.mp3","model":"x"}`, Fails: tool.ValidationError, Message: "whisper-1"},
		{Name: "format", Args: `{"audio":"a.mp3","responseFormat":"xml"}`, Fails: tool.ValidationError, Message: "srt"},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "audio"},
	})
}

// TestTranscriptionFails: each failure of a provider has its kind, after one request.
func TestTranscriptionFails(t *testing.T) {
	for _, name := range []string{"speech_to_text", "translate_audio"} {
		for _, tt := range []struct {
			status int
			answer string
			kind   tool.Kind
			says   string
		}{
			{401, ``, tool.NotConfigured, "helve config set openai --stdin api_key"},
			{429, ``, tool.RateLimited, "in 60 seconds"},
			{500, ``, tool.NetworkError, "status 500"},
			{400, `{"error":{"message":"Invalid file format. k1"}}`, tool.ExecutionError, "Invalid file format. …"},
			{200, `<html>`, tool.ExecutionError, "makes no sense"},
			{200, `{"segments":[]}`, tool.ExecutionError, "makes no sense"},
		} {
			var requests atomic.Int32
			call, _ := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.answer)
			})
			put(t, call.Files, "a.mp3", "ID3 sound")
			refused(t, name, call, `{"audio":"a.mp3"}`, tt.kind, tt.says)
			if n := requests.Load(); n != 1 {
				t.Errorf("%s, status %d: %d requests, want 1", name, tt.status, n)
			}
		}
	}
}

func TestMagic(t *testing.T) {
	for first, want := range map[string]string{
		"RIFF\x00\x00\x00\x00WAVE": "wav", "ID3\x04": "mp3", "\xff\xfb\x90": "mp3", "\xff\xf3\x90": "mp3", "\xff\xf1\x50": "", "OggS": "ogg",
		"fLaC": "flac", "\x00\x00\x00\x20ftypM4A ": "m4a", "\x00\x00\x00\x20ftypisom": "mp4", "\x1aE\xdf\xa3": "webm", "": "",
		"RIFF": "", "\xff": "", "\xff\xd8\xff": "",
	} {
		if got := magic([]byte(first)); got != want {
			t.Errorf("magic(%q) = %q, want %q", first, got, want)
		}
	}
}
