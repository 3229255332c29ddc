package translation

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/tongue"
	"github.com/helve-dev/helve/tool"
)

// deepL is the service DeepL. Keys of the free plan end in :fx and have a server of their
// own (https://developers.deepl.com/docs/getting-started/auth).
func deepL(use string) outward.Service {
	return outward.Service{
		Name: "deepl", Use: use, Set: "--stdin api_key",
		Address: func(data map[string]string) string {
			switch {
			case data["base_url"] != "":
				return data["base_url"]
			case strings.HasSuffix(strings.TrimSpace(data["api_key"]), ":fx"):
				return "https://api-free.deepl.com"
			}
			return "https://api.deepl.com"
		},
		Sign: func(req *http.Request, data map[string]string) {
			req.Header.Set("Authorization", "DeepL-Auth-Key "+strings.TrimSpace(data["api_key"]))
		},
	}
}

// deepLClient translates by /v2/translate
// (https://developers.deepl.com/api-reference/translate).
type deepLClient struct{ *outward.Client }

func (c *deepLClient) name() string { return c.Name() }

// limits returns those of the API: 50 texts and a body of 128 KiB. The bytes of a piece may
// become six times as many when they are encoded.
func (*deepLClient) limits() limits { return limits{texts: 50, bytes: 100 << 10, piece: 16 << 10} }

func (*deepLClient) check(j *job) ([]string, error) {
	if j.glossary != "" && j.source.Code == "" {
		return nil, tool.Fail(tool.ValidationError, "glossary: DeepL needs sourceLanguage with it")
	}
	return nil, nil
}

// quotaExceeded is the status for an account whose characters are used up.
const quotaExceeded = 456

func (c *deepLClient) translate(ctx context.Context, j *job, texts []string) ([]translated, error) {
	request := struct {
		Text      []string `json:"text"`
		Target    string   `json:"target_lang"`
		Source    string   `json:"source_lang,omitempty"`
		Context   string   `json:"context,omitempty"`
		Formality string   `json:"formality,omitempty"`
		Glossary  string   `json:"glossary_id,omitempty"`
		Preserve  bool     `json:"preserve_formatting,omitempty"`
	}{texts, deepLTarget(j.target), deepLSource(j.source), j.context, j.formality, j.glossary, j.preserve}
	var answer struct {
		Translations []struct {
			Source string `json:"detected_source_language"`
			Text   string `json:"text"`
		} `json:"translations"`
	}
	err := c.JSON(ctx, outward.Request{Method: http.MethodPost, Path: "v2/translate", JSON: request}, &answer)
	switch {
	case outward.Status(err) == quotaExceeded:
		return nil, tool.Fail(tool.RateLimited, "the characters of the DeepL account are used up; wait for the next period, or extend the plan")
	case err != nil:
		return nil, err
	case len(answer.Translations) != len(texts):
		return nil, c.Senseless("it has not as many translations as there are texts")
	}
	all := make([]translated, len(texts))
	for i, t := range answer.Translations {
		all[i] = translated{t.Text, t.Source}
	}
	return all, nil
}

// deepLSource returns the code of a source language; "" lets DeepL recognise it.
func deepLSource(l tongue.Language) string {
	if l.Code == "" {
		return ""
	}
	return strings.ToUpper(l.Base())
}

// deepLVariants are the targets with a region or script.
var deepLVariants = []string{"en-GB", "en-US", "es-419", "pt-BR", "pt-PT", "zh-Hans", "zh-Hant"}

// deepLTarget returns the code of a target language. English and Portuguese need a variant.
func deepLTarget(l tongue.Language) string {
	code := l.Base()
	switch {
	case slices.Contains(deepLVariants, l.Code):
		code = l.Code
	case code == "en":
		code = "en-US"
	case code == "pt":
		code = "pt-PT"
	case l.Traditional():
		code = "zh-Hant"
	}
	return strings.ToUpper(code)
}
