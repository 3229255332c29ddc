package audio

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type textToSpeechArgs struct {
	Text       string  `json:"text" min:"1" max:"4096" doc:"Text to be spoken."`
	Voice      string  `json:"voice" enum:"alloy,echo,fable,onyx,nova,shimmer" default:"alloy" doc:"Voice, as OpenAI names them; other providers use that of their account."`
	Model      string  `json:"model,omitempty" enum:"tts-1,tts-1-hd" doc:"Model; that of the service by default, or tts-1."`
	Speed      float64 `json:"speed" default:"1" doc:"Speed from 0.25 to 4; 1 is normal."`
	Format     string  `json:"format" enum:"mp3,opus,aac,flac,wav,pcm" default:"mp3" doc:"Format of the file; pcm is 16 bits, 24 kHz, one channel, without a header."`
	OutputPath string  `json:"outputPath,omitempty" alias:"path" doc:"File to write, relative to the workspace; a name from the text by default. A file of that name is replaced."`
}

type textToSpeechResult struct {
	Path              string  `json:"path"`
	Format            string  `json:"format"`
	Size              int64   `json:"size" doc:"Size of the file, in bytes."`
	Duration          float64 `json:"duration" doc:"Length in seconds: measured for wav and pcm, estimated for other formats."`
	EstimatedDuration string  `json:"estimatedDuration" doc:"Length at 150 words a minute."`
	Voice             string  `json:"voice"`
	Model             string  `json:"model"`
	Speed             float64 `json:"speed"`
	Text              string  `json:"text" doc:"Beginning of the text."`
	TextLength        int     `json:"textLength" doc:"Characters of the whole text."`
}

var _ = tool.Add(Set, tool.Spec[textToSpeechArgs, *textToSpeechResult]{
	Name: "text_to_speech",
	Description: "Speak a text with a speech model, which costs money, write the sound to the workspace and return the file's path, " +
		"size and length.",
	Tags:       []string{"audio", "speak", "tts", "voice", "speech synthesis", "read aloud", "narrate", "mp3"},
	Risk:       tool.Medium,
	Mutates:    true,
	Idempotent: false,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:      tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Errors: []tool.Kind{
		tool.NotConfigured, tool.FileNotFound, tool.PathNotAllowed, tool.NetworkError, tool.ExecutionError, tool.Unsupported,
	},
	Example: `{"text": "Dinner is ready.", "format": "wav", "outputPath": "dinner.wav"}`,
	Timeout: 5 * time.Minute,
	Check: func(ctx context.Context, call *tool.Call, args textToSpeechArgs) error {
		if strings.TrimSpace(args.Text) == "" {
			return tool.Fail(tool.ValidationError, "The text is empty; give the words to be spoken.")
		}
		_, err := speakers(ctx, call, args.Format)
		return err
	},
	Changes: func(_ context.Context, _ *tool.Call, args textToSpeechArgs) ([]tool.Change, error) {
		return tool.Replaces(args.OutputPath), nil
	},
	Run: textToSpeech,
})

const toSpeak = "to speak texts (text_to_speech)"

// speaker has a provider speak a text.
type speaker struct {
	name  string
	speak func(ctx context.Context, args textToSpeechArgs) (*sounding, error)
}

// speakers returns the configured providers that make the format, in the order in which
// they are used.
func speakers(ctx context.Context, call *tool.Call, format string) ([]speaker, error) {
	var all []speaker
	ai, err := openai.Find(ctx, call, toSpeak)
	if err != nil {
		return nil, err
	}
	if ai != nil {
		all = append(all, speaker{ai.Name(), func(ctx context.Context, args textToSpeechArgs) (*sounding, error) {
			//nolint:bodyclose // whoever stores the sound closes it
			resp, model, err := ai.Speak(ctx, openai.Speech{
				Model:  args.Model,
				Text:   args.Text,
				Voice:  args.Voice,
				Speed:  args.Speed,
				Format: args.Format,
			})
			if err != nil {
				return nil, err
			}
			return &sounding{resp: resp, host: ai.Host(), model: model, voice: args.Voice, speed: args.Speed}, nil
		}})
	}
	other, err := outward.Find(ctx, call, elevenLabs())
	switch {
	case err != nil:
		return nil, err
	case other != nil && elevenFormats[format] != "":
		all = append(all, speaker{other.Name(), func(ctx context.Context, args textToSpeechArgs) (*sounding, error) {
			return elevenSpeak(ctx, other, args)
		}})
	case other != nil && ai == nil:
		return nil, tool.Fail(tool.Unsupported, "ElevenLabs, the configured provider of speech, does not make %s; choose mp3, opus or pcm.",
			format)
	}
	if len(all) == 0 {
		return nil, outward.MissingAll(call, openai.Of(toSpeak), elevenLabs())
	}
	return all, nil
}

func textToSpeech(ctx context.Context, call *tool.Call, args textToSpeechArgs) (*textToSpeechResult, error) {
	args.Speed = speed(args.Speed)
	to, err := writable(call, args.OutputPath, args.Text, args.Format)
	if err != nil {
		return nil, err
	}
	all, err := speakers(ctx, call, args.Format)
	if err != nil {
		return nil, err
	}
	s, err := spokenBy(ctx, call, all, args)
	if err != nil {
		return nil, err
	}
	res := &textToSpeechResult{
		Path: to, Format: args.Format, Voice: s.voice, Model: s.model, Speed: s.speed,
		EstimatedDuration: estimate(args.Text), Text: args.Text, TextLength: utf8.RuneCountInString(args.Text),
	}
	if short := textcut.First(args.Text, 100); short != args.Text {
		res.Text = short + "..."
	}
	if res.Size, err = s.store(call, to); err != nil {
		return nil, err
	}
	res.Duration = length(call, res, args.Text)
	if ext := extension(to); ext != "" && ext != args.Format {
		call.Note("The file is %s, although its name ends in .%s; format chooses the format.", args.Format, ext)
	}
	if s.voice != args.Voice {
		call.Note("ElevenLabs has no voice %s; the voice %s of its account was used.", args.Voice, s.voice)
	}
	return res, nil
}

// spokenBy returns the answer of the first provider, or of the next if the first certainly
// did nothing: a request that may have been charged is not repeated elsewhere.
func spokenBy(ctx context.Context, call *tool.Call, all []speaker, args textToSpeechArgs) (*sounding, error) {
	before := ""
	for i, p := range all {
		s, err := p.speak(ctx, args)
		switch {
		case err == nil:
			if before != "" {
				call.Note("%s spoke the text, because %s", p.name, before)
			}
			return s, nil
		case i == len(all)-1 && before != "":
			return nil, tool.Fail(tool.AsError(err).Kind, "%s (before that, %s)", tool.AsError(err).Msg, before).Because(err)
		case i == len(all)-1 || !outward.Declined(err):
			return nil, err
		}
		before = p.name + " failed: " + tool.AsError(err).Msg
	}
	return nil, outward.MissingAll(call, openai.Of(toSpeak), elevenLabs())
}

// speed returns a speed within the bounds; 0 is the normal one.
func speed(asked float64) float64 {
	if asked == 0 {
		return 1
	}
	return min(max(asked, 0.25), 4)
}

// speakingTime returns the seconds that a text takes at 150 words a minute.
func speakingTime(text string) float64 { return float64(len(strings.Fields(text))) / 150 * 60 }

// estimate returns the time that a text takes, in words.
func estimate(text string) string {
	if s := speakingTime(text); s < 60 {
		return fmt.Sprintf("~%v seconds", math.Ceil(s))
	}
	return fmt.Sprintf("~%v minutes", math.Ceil(speakingTime(text)/60))
}

// Present names the file.
func (r *textToSpeechResult) Present(res *tool.Result) {
	res.Text = fmt.Sprintf("Wrote %s (%s, about %v s, %d bytes).", r.Path, r.Format, r.Duration, r.Size)
}
