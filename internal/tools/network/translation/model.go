package translation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/llm"
	"github.com/helve-dev/helve/tool"
)

// modelClient translates by the configured model.
type modelClient struct{ *llm.Model }

func (c *modelClient) name() string { return c.Service() }

// limits returns less than models take, because their answers are bounded and slow.
func (*modelClient) limits() limits { return limits{texts: 20, bytes: 16 << 10, piece: 8 << 10} }

func (*modelClient) check(*job) ([]string, error) { return nil, nil }

// modelAnswer is the form of an answer.
const modelAnswer = `{"type":"object","properties":{"translations":{"type":"array","minItems":%[1]d,"maxItems":%[1]d,"items":{"type":"object","properties":{` +
	`"text":{"type":"string","description":"the translation"},"source":{"type":"string","description":"code of the language of the original, such as en"}},"required":["text","source"]}}},"required":["translations"]}`

func (c *modelClient) translate(ctx context.Context, j *job, texts []string) ([]translated, error) {
	form, err := llm.NewForm(json.RawMessage(fmt.Sprintf(modelAnswer, len(texts))))
	if err != nil {
		return nil, tool.Fail(tool.Internal, "the form of translations is no schema").Because(err)
	}
	answer, err := c.JSON(ctx, llm.Ask{Task: j.task(), Data: j.data(texts)}, form)
	switch {
	case err != nil:
		return nil, err
	case answer.Problems != nil:
		return nil, tool.Fail(tool.ExecutionError, "the model %s did not translate: %s", c.Name(), strings.Join(answer.Problems, "; "))
	}
	var got struct {
		Translations []struct {
			Text   string `json:"text"`
			Source string `json:"source"`
		} `json:"translations"`
	}
	if err := json.Unmarshal(answer.Data, &got); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "the model %s did not translate", c.Name()).Because(err)
	}
	all := make([]translated, len(texts))
	for i, t := range got.Translations {
		all[i] = translated{t.Text, t.Source}
	}
	return all, nil
}

// task returns the instruction for a model.
func (j *job) task() string {
	var w strings.Builder
	from := ""
	if j.source.Code != "" {
		from = fmt.Sprintf(" from %s (%s)", j.source.Name, j.source.Code)
	}
	fmt.Fprintf(&w,
		"Translate each text of the member texts of the data%s into %s (%s), in the same order. Translate everything, add nothing, "+
			"and explain nothing.",
		from, j.target.Name, j.target.Code)
	switch j.formality {
	case "more", "prefer_more":
		w.WriteString(" Use formal language.")
	case "less", "prefer_less":
		w.WriteString(" Use informal language.")
	}
	if j.preserve {
		w.WriteString(" Keep line breaks, white space, punctuation, capitals and markup as they are.")
	}
	if j.context != "" {
		w.WriteString(" The member context tells what the texts are about; do not translate it.")
	}
	if j.glossary != "" {
		w.WriteString(" The member glossary has terms and their translations; use these.")
	}
	return w.String()
}

// data returns the data for a model.
func (j *job) data(texts []string) map[string]any {
	data := map[string]any{"texts": texts}
	for name, value := range map[string]string{"context": j.context, "glossary": j.glossary} {
		if value != "" {
			data[name] = value
		}
	}
	return data
}
