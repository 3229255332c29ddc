package audio

import (
	"cmp"
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/tool"
)

type translateAudioArgs struct {
	Audio          string `json:"audio" alias:"source,path" min:"1" doc:"Recording in any language: a path in the workspace or an http(s) URL; mp3, mp4, mpeg, mpga, m4a, wav, webm, ogg or flac, at most 25 MB."`
	Prompt         string `json:"prompt,omitempty" max:"4000" doc:"Names and words that occur, in English, for their spelling."`
	Model          string `json:"model,omitempty" enum:"whisper-1" doc:"Model; that of the service by default, or whisper-1."`
	ResponseFormat string `json:"responseFormat" enum:"json,text,srt,vtt,verbose_json" default:"json" doc:"srt and vtt return subtitles, verbose_json also segments with their times."`
}

type translateAudioResult struct {
	transcript

	TargetLanguage string `json:"targetLanguage"`
}

var _ = tool.Add(Set, tool.Spec[translateAudioArgs, *translateAudioResult]{
	Name:        "translate_audio",
	Description: "Translate what is said in a recording into English with a speech model and return the English text, as subtitles if wanted.",
	Tags:        []string{"audio translate", "language", "speech translation", "foreign recording", "voice memo", "english subtitles"},
	Risk:        tool.Medium,
	Mutates:     false,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:       tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Errors: []tool.Kind{
		tool.NotConfigured, tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.NetworkError, tool.ExecutionError,
	},
	Example: `{"audio": "tone.wav"}`,
	Timeout: 5 * time.Minute,
	Check: func(ctx context.Context, call *tool.Call, _ translateAudioArgs) error {
		_, err := openai.Open(ctx, call, toTranslate)
		return err
	},
	Run: translateAudio,
})

const (
	toTranslate = "to translate speech (translate_audio)"
	english     = "english"
)

func translateAudio(ctx context.Context, call *tool.Call, args translateAudioArgs) (*translateAudioResult, error) {
	t, err := transcribe(ctx, call, toTranslate, args.Audio, openai.Recording{
		Model:   args.Model,
		Prompt:  args.Prompt,
		Format:  args.ResponseFormat,
		English: true,
	})
	if err != nil {
		return nil, err
	}
	t.Language = cmp.Or(t.Language, english)
	return &translateAudioResult{*t, english}, nil
}

// Present shows the text.
func (r *translateAudioResult) Present(res *tool.Result) { res.Text = r.present() }
