package translation

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/tool"
)

type batchArgs struct {
	Texts          []string `json:"texts" doc:"Texts to translate, at most 300000 bytes together." min:"1" max:"500"`
	TargetLanguage string   `json:"targetLanguage" doc:"Language to translate into, by name or code: German, de, pt-BR." max:"100"`
	SourceLanguage string   `json:"sourceLanguage,omitempty" doc:"Language of the texts, by name or code; auto recognises that of each." default:"auto" max:"100"`
}

type batchResult struct {
	Results        []batchItem `json:"results" doc:"In the order of the texts."`
	Count          int         `json:"count" doc:"Texts that were translated."`
	TargetLanguage string      `json:"targetLanguage" doc:"Code of the language of the translations."`
}

// batchItem is a translation, or the reason why there is none.
type batchItem struct {
	OriginalText   string `json:"originalText,omitempty"`
	TranslatedText string `json:"translatedText,omitempty"`
	SourceLanguage string `json:"sourceLanguage,omitempty"`
	TargetLanguage string `json:"targetLanguage,omitempty"`
	Provider       string `json:"provider,omitempty"`
	Index          *int   `json:"index,omitempty" doc:"Index from 0 of a text that was not translated."`
	Error          string `json:"error,omitempty" doc:"Why it was not translated."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name: "batch_translate",
	Description: "Translate several texts into another language at once, and return the translations in their order; " +
		"a text that fails has an error.",
	Tags:      []string{"bulk translate", "batch", "multiple translate"},
	Errors:    []tool.Kind{tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Example:   `{"texts":["Good morning!","Thank you."],"targetLanguage":"German"}`,
	Risk:      tool.Medium,
	Mutates:   false,
	OpenWorld: true,
	Scopes:    tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:     tool.NeedHTTP | tool.NeedSecrets,
	Timeout:   longest,
	Check:     checkBatch,
	Run:       batchTranslate,
})

const batchUse = "to translate texts (batch_translate)"

func checkBatch(ctx context.Context, call *tool.Call, args batchArgs) error {
	size := 0
	for _, text := range args.Texts {
		size += len(text)
	}
	switch {
	case !slices.ContainsFunc(args.Texts, func(text string) bool { return !blank(text) }):
		return tool.Fail(tool.ValidationError, "texts has only blank texts; send texts to translate")
	case size > maxText:
		return tool.Fail(tool.ValidationError, "texts has %d bytes, at most %d are translated; send it in parts", size, maxText)
	}
	j, err := args.job()
	if err != nil {
		return err
	}
	_, err = ready(ctx, call, j, batchUse)
	return err
}

func (a *batchArgs) job() (*job, error) {
	return (&translateArgs{TargetLanguage: a.TargetLanguage, SourceLanguage: a.SourceLanguage}).job()
}

func batchTranslate(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	j, err := args.job()
	if err != nil {
		return nil, err
	}
	tr, err := ready(ctx, call, j, batchUse)
	if err != nil {
		return nil, err
	}
	all := translateAll(ctx, tr, j, args.Texts)
	res := &batchResult{Results: make([]batchItem, len(all)), TargetLanguage: j.target.Code}
	var failure error
	for i, got := range all {
		switch text := args.Texts[i]; {
		case blank(text):
			res.Results[i] = batchItem{Index: &i, Error: "the text is blank"}
		case got.err != nil:
			res.Results[i] = batchItem{Index: &i, Error: got.err.Msg}
			failure = got.err
		default:
			t := j.result(tr, text, got.translated)
			res.Results[i] = batchItem{
				OriginalText:   t.OriginalText,
				TranslatedText: t.TranslatedText,
				SourceLanguage: t.SourceLanguage,
				TargetLanguage: t.TargetLanguage,
				Provider:       t.Provider,
			}
			res.Count++
		}
	}
	switch {
	case res.Count == 0:
		return nil, failure
	case res.Count < len(all):
		call.Note("%d of %d texts were not translated; their results have index and error.", len(all)-res.Count, len(all))
	}
	return res, nil
}
