package audio

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTranslateAudio(t *testing.T) {
	var got heard
	answer := `{"text":"Good morning."}`
	call := listener(t, &answer, &got)
	put(t, call.Files, "memo.ogg", "OggS sound")
	tooltest.Run(t, Set, "translate_audio", call, []tooltest.Case{
		{Name: "json", Args: `{"audio":"memo.ogg"}`, Check: func(t *testing.T, res tool.Result) {
			want := translateAudioResult{transcript{
				Source:         "memo.ogg",
				SourceType:     "file",
				Format:         "ogg",
				FileSize:       10,
				Text:           "Good morning.",
				Language:       "english",
				Model:          "whisper-1",
				ResponseFormat: "json",
			}, "english"}
			if diff := cmp.Diff(want, result[translateAudioResult](t, res), cmp.AllowUnexported(translateAudioResult{})); diff != "" ||
				res.Text != "Good morning." {
				t.Errorf("text %q, result (-want +got):\n%s", res.Text, diff)
			}
			if diff := cmp.Diff(map[string][]string{"model": {"whisper-1"}, "response_format": {"json"}}, got.fields); diff != "" ||
				got.path != "/v1/audio/translations" || got.data != "OggS sound" {
				t.Errorf("%s (-want +got):\n%s", got.path, diff)
			}
		}},
		{Name: "no file", Args: `{"audio":"none.ogg"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"source":"../x.ogg"}`, Fails: tool.PathNotAllowed},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "audio"},
	})
	answer = `{"task":"translate","language":"english","duration":2.5,"text":"Good morning.","segments":[{"start":0,"end":2.5,"text":"Good morning."}]}`
	tooltest.Run(t, Set, "translate_audio", call,
		[]tooltest.Case{{Name: "verbose", Args: `{"audio":"memo.ogg","responseFormat":"verbose_json","prompt":"Ann"}`,
			Check: func(t *testing.T, res tool.Result) {
				if r := result[translateAudioResult](t, res); len(r.Segments) != 1 || r.Duration != 2.5 || r.Prompt != "Ann" ||
					len(got.fields["timestamp_granularities[]"]) != 0 {
					t.Errorf("%+v, sent %v", r, got.fields)
				}
			}}})
	url := site(t, &call, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fLaC sound") })
	tooltest.Run(t, Set, "translate_audio", call,
		[]tooltest.Case{{Name: "url", Args: `{"audio":"` + url + `/a"}`, Check: func(t *testing.T, res tool.Result) {
			if r := result[translateAudioResult](t, res); r.Format != "flac" || r.SourceType != "url" || got.data != "fLaC sound" {
				t.Errorf("%+v", r)
			}
		}}})
	call.Secrets = accounts{}
	refused(t, "translate_audio", call, `{"audio":"memo.ogg"}`, tool.NotConfigured,
		"(translate_audio). Set it: helve config set openai --stdin api_key")
}
