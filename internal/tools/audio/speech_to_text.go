package audio

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/tool"
)

type speechToTextArgs struct {
	Audio          string `json:"audio" alias:"source,path" min:"1" doc:"Recording: a path in the workspace or an http(s) URL; mp3, mp4, mpeg, mpga, m4a, wav, webm, ogg or flac, at most 25 MB."`
	Language       string `json:"language,omitempty" max:"35" doc:"Language that is spoken, as ISO 639-1 code such as de; found by the model by default."`
	Prompt         string `json:"prompt,omitempty" max:"4000" doc:"Names and words that occur, for their spelling."`
	Model          string `json:"model,omitempty" enum:"whisper-1" doc:"Model; that of the service by default, or whisper-1."`
	ResponseFormat string `json:"responseFormat" enum:"json,text,srt,vtt,verbose_json" default:"json" doc:"srt and vtt return subtitles, verbose_json also segments with their times."`
	Timestamps     bool   `json:"timestamps,omitempty" doc:"true returns segments with their times, as verbose_json does."`
}

type speechToTextResult struct {
	transcript

	Timestamps bool `json:"timestamps"`
}

var _ = tool.Add(Set, tool.Spec[speechToTextArgs, *speechToTextResult]{
	Name:        "speech_to_text",
	Description: "Write down what is said in a recording with a speech model and return the text, as subtitles or with times if wanted.",
	Tags:        []string{"transcribe", "stt", "listen", "audio to text", "transcript", "subtitles", "voice memo", "dictation", "whisper"},
	Risk:        tool.Medium,
	Mutates:     false,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:       tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Errors: []tool.Kind{
		tool.NotConfigured, tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.NetworkError, tool.ExecutionError,
	},
	Example: `{"audio": "tone.wav", "timestamps": true}`,
	Timeout: 5 * time.Minute,
	Check: func(ctx context.Context, call *tool.Call, _ speechToTextArgs) error {
		_, err := openai.Open(ctx, call, toTranscribe)
		return err
	},
	Run: speechToText,
})

const (
	toTranscribe = "to transcribe speech (speech_to_text)"
	formatJSON   = "verbose_json"
	anyLanguage  = "auto-detect"
)

func speechToText(ctx context.Context, call *tool.Call, args speechToTextArgs) (*speechToTextResult, error) {
	format := args.ResponseFormat
	if args.Timestamps {
		format = formatJSON
	}
	language := strings.TrimSpace(args.Language)
	if strings.EqualFold(language, anyLanguage) || strings.EqualFold(language, "auto") {
		language = ""
	}
	t, err := transcribe(ctx, call, toTranscribe, args.Audio, openai.Recording{
		Model:    args.Model,
		Language: language,
		Prompt:   args.Prompt,
		Format:   format,
	})
	if err != nil {
		return nil, err
	}
	t.Language = cmp.Or(t.Language, language, anyLanguage)
	return &speechToTextResult{*t, format == formatJSON}, nil
}

// Present shows the text.
func (r *speechToTextResult) Present(res *tool.Result) { res.Text = r.present() }
