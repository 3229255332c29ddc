package translation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

type translateArgs struct {
	Text               string `json:"text" doc:"Text to translate, at most 300000 bytes."`
	TargetLanguage     string `json:"targetLanguage" doc:"Language to translate into, by name or code: German, de, pt-BR." max:"100"`
	SourceLanguage     string `json:"sourceLanguage,omitempty" doc:"Language of the text, by name or code; recognised if it is left out." max:"100"`
	PreserveFormatting bool   `json:"preserveFormatting,omitempty" doc:"Keep punctuation, capitals and line breaks as they are."`
	Context            string `json:"context,omitempty" doc:"What the text is about; it helps to choose words and is not translated." max:"10000"`
	Formality          string `json:"formality,omitempty" doc:"Tone, where the provider can choose it." enum:"default,more,less,prefer_more,prefer_less"`
	Glossary           string `json:"glossary,omitempty" doc:"With DeepL the id of a glossary, which needs sourceLanguage; with a model, terms and their translations." max:"10000"`
}

type translation struct {
	OriginalText   string `json:"originalText"`
	TranslatedText string `json:"translatedText"`
	SourceLanguage string `json:"sourceLanguage" doc:"Code of the language of the text."`
	TargetLanguage string `json:"targetLanguage" doc:"Code of the language of the translation."`
	Provider       string `json:"provider" doc:"Service that translated: deepl, libretranslate, or that of the model."`
}

// Present shows only the translation.
func (t *translation) Present(res *tool.Result) { res.Text = t.TranslatedText }

var _ = tool.Add(Set, tool.Spec[translateArgs, *translation]{
	Name:        "translate_text",
	Description: "Translate a text into another language by DeepL, LibreTranslate or the configured model, and return the translation.",
	Tags:        []string{"translate", "language", "english", "spanish", "french", "german"},
	Errors:      []tool.Kind{tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Example:     `{"text":"Good morning!","targetLanguage":"German"}`,
	Risk:        tool.Medium,
	Mutates:     false,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:       tool.NeedHTTP | tool.NeedSecrets,
	Timeout:     longest,
	Check:       checkTranslate,
	Run:         translateText,
})

const textUse = "to translate texts (translate_text)"

func checkTranslate(ctx context.Context, call *tool.Call, args translateArgs) error {
	switch {
	case blank(args.Text):
		return tool.Fail(tool.ValidationError, "text is blank; send the text to translate")
	case len(args.Text) > maxText:
		return tool.Fail(tool.ValidationError, "text has %d bytes, at most %d are translated; send it in parts", len(args.Text), maxText)
	}
	j, err := args.job()
	if err != nil {
		return err
	}
	_, err = ready(ctx, call, j, textUse)
	return err
}

func (a *translateArgs) job() (*job, error) {
	j := &job{
		style: style{
			formality: a.Formality,
			glossary:  strings.TrimSpace(a.Glossary),
			context:   strings.TrimSpace(a.Context),
			preserve:  a.PreserveFormatting,
		},
	}
	if j.formality == "default" {
		j.formality = ""
	}
	var err error
	if j.target, err = languageOf("targetLanguage", a.TargetLanguage); err != nil {
		return nil, err
	}
	j.source, err = sourceOf(a.SourceLanguage)
	return j, err
}

// ready returns the translator of a call, which must be able to do the job.
func ready(ctx context.Context, call *tool.Call, j *job, use string) (translator, error) {
	tr, err := find(ctx, call, use)
	if err != nil {
		return nil, err
	}
	_, err = tr.check(j)
	return tr, err
}

func translateText(ctx context.Context, call *tool.Call, args translateArgs) (*translation, error) {
	j, err := args.job()
	if err != nil {
		return nil, err
	}
	tr, err := ready(ctx, call, j, textUse)
	if err != nil {
		return nil, err
	}
	got := translateAll(ctx, tr, j, []string{args.Text})[0]
	if got.err != nil {
		return nil, got.err
	}
	if ignored, _ := tr.check(j); len(ignored) > 0 { // it was checked by ready
		slices.Sort(ignored)
		call.Note("%s ignores %s.", tr.name(), strings.Join(ignored, ", "))
	}
	return j.result(tr, args.Text, got.translated), nil
}

// result returns the result for a text.
func (j *job) result(tr translator, text string, got translated) *translation {
	return &translation{
		OriginalText: text, TranslatedText: got.text, TargetLanguage: j.target.Code, Provider: tr.name(),
		SourceLanguage: cmp.Or(j.source.Code, codeOf(got.source)),
	}
}
