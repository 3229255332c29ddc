package audio

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
)

// The voice and the model where the account names none: George, a voice of every account.
const (
	elevenVoice = "JBFqnCBsd6RMkjVDRZzb"
	elevenModel = "eleven_multilingual_v2"
)

// elevenFormats maps formats to those of ElevenLabs; it does not make the others.
var elevenFormats = map[string]string{"mp3": "mp3_44100_128", "opus": "opus_48000_64", "pcm": "pcm_24000"}

// elevenLabs returns the service of ElevenLabs.
func elevenLabs() outward.Service {
	return outward.Service{
		Name: "elevenlabs", Base: "https://api.elevenlabs.io", Use: toSpeak, Set: "--stdin api_key",
		Sign: func(req *http.Request, data map[string]string) {
			req.Header.Set("Xi-Api-Key", strings.TrimSpace(data["api_key"]))
		},
	}
}

type elevenRequest struct {
	Text     string         `json:"text"`
	Model    string         `json:"model_id"`
	Settings elevenSettings `json:"voice_settings"`
}

type elevenSettings struct {
	Speed float64 `json:"speed"`
}

// elevenSpeak has ElevenLabs speak a text. Its voices and models are those of the account,
// and its speeds are from 0.7 to 1.2.
func elevenSpeak(ctx context.Context, client *outward.Client, args textToSpeechArgs) (*sounding, error) {
	s := &sounding{
		host: client.Host(), model: cmp.Or(client.Field("model_id"), elevenModel), voice: cmp.Or(client.Field("voice_id"), elevenVoice),
		speed: min(max(args.Speed, 0.7), 1.2),
	}
	var err error
	s.resp, err = client.Do(ctx, outward.Request{ //nolint:bodyclose // whoever stores the sound closes it
		Method: http.MethodPost, Path: "v1/text-to-speech/" + url.PathEscape(s.voice),
		Query: url.Values{"output_format": {elevenFormats[args.Format]}},
		JSON:  elevenRequest{args.Text, s.model, elevenSettings{s.speed}}, Accept: "*/*", Slow: true,
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}
