package translation

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/tongue"
)

// libreTranslate is the service of a LibreTranslate server, which takes its key in the body.
func libreTranslate(use string) outward.Service {
	return outward.Service{Name: "libretranslate", Use: use, Set: "base_url=URL", Sign: func(*http.Request, map[string]string) {}}
}

// libreClient translates by /translate (https://docs.libretranslate.com/guides/api_usage).
type libreClient struct{ *outward.Client }

func (c *libreClient) name() string { return c.Name() }

func (*libreClient) limits() limits { return limits{texts: 50, bytes: 100 << 10, piece: 16 << 10} }

func (*libreClient) check(j *job) (ignored []string, err error) {
	for name, wish := range map[string]string{"formality": j.formality, "glossary": j.glossary, "context": j.context} {
		if wish != "" {
			ignored = append(ignored, name)
		}
	}
	return ignored, nil
}

func (c *libreClient) translate(ctx context.Context, j *job, texts []string) ([]translated, error) {
	source := auto
	if j.source.Code != "" {
		source = libreCode(j.source)
	}
	request := map[string]any{"q": texts, "source": source, "target": libreCode(j.target), "format": "text"}
	if len(texts) == 1 {
		request["q"] = texts[0]
	}
	if key := c.Field("api_key"); key != "" {
		request["api_key"] = key
	}
	var answer struct {
		Text     json.RawMessage `json:"translatedText"`
		Detected json.RawMessage `json:"detectedLanguage"`
	}
	if err := c.JSON(ctx, outward.Request{Method: http.MethodPost, Path: "translate", JSON: request}, &answer); err != nil {
		return nil, err
	}
	got, err := listOf[string](answer.Text, len(texts))
	if err != nil {
		return nil, c.Senseless("it has not as many translations as there are texts")
	}
	type detected struct {
		Language string `json:"language"`
	}
	from, err := listOf[detected](answer.Detected, len(texts))
	if err != nil { // it is absent if the source was given
		from = make([]detected, len(texts))
	}
	all := make([]translated, len(texts))
	for i := range texts {
		all[i] = translated{got[i], from[i].Language}
	}
	return all, nil
}

// listOf reads a list of n values, or for one value the value itself.
func listOf[T any](raw json.RawMessage, n int) (list []T, err error) {
	if n == 1 && len(raw) > 0 && raw[0] != '[' {
		list = make([]T, 1)
		return list, json.Unmarshal(raw, &list[0])
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	if len(list) != n {
		return nil, errCount
	}
	return list, nil
}

// libreCode returns the code of a language in its models; servers of all versions take it.
func libreCode(l tongue.Language) string {
	switch {
	case l.Code == "pt-BR":
		return "pb"
	case l.Traditional():
		return "zt"
	}
	return l.Base()
}
