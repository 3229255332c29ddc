package dataextraction

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/llm"
	"github.com/helve-dev/helve/internal/lib/textsplit"
	"github.com/helve-dev/helve/tool"
)

type structuredArgs struct {
	Text     string              `json:"text" doc:"Text to read; \"\" with path. At most 960000 bytes."`
	Schema   tool.Object         `json:"schema" doc:"JSON Schema (draft-07) of the object to return; {} with template."`
	Template string              `json:"template,omitempty" doc:"A schema of common documents, in place of schema." enum:"receipt,invoice,contact,event,product,job_posting,article,address,email_metadata,custom" default:"custom"`
	Examples []structuredExample `json:"examples,omitempty" doc:"Texts and the objects that they should become." max:"20"`
	Path     string              `json:"path,omitempty" doc:"Text file of the workspace to read in place of text."`
}

type structuredExample struct {
	Input  string      `json:"input,omitempty"`
	Output tool.Object `json:"output,omitzero"`
}

type structuredResult struct {
	Data     json.RawMessage `json:"data" doc:"What the text says, in the form of the schema; null if the model wrote no object."`
	Template string          `json:"template"`
	Valid    bool            `json:"valid" doc:"Whether data fits the schema."`
	Problems []string        `json:"problems" doc:"What does not fit, after one attempt to repair it."`
	Model    string          `json:"model"`
}

var _ = tool.Add(Set, tool.Spec[structuredArgs, *structuredResult]{
	Name: "extract_structured_data",
	Description: "Fill a JSON Schema, or the template of a receipt, invoice, contact, event and the like, with the facts of a text, " +
		"by the configured model.",
	Tags: []string{"structured data", "parse", "extract", "json", "table"},
	Errors: []tool.Kind{
		tool.NotConfigured, tool.NetworkError, tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge,
	},
	Example:   `{"text":"Ann Lee, ann@example.com, works for Acme.","schema":{},"template":"contact"}`,
	Risk:      tool.Medium,
	Mutates:   false,
	OpenWorld: true,
	Scopes:    tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}}, // base_url may name any host
	Needs:     tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Timeout:   longest,
	Check:     checkStructured,
	Run:       extractStructured,
})

// longest is the time limit of a call that asks a model, which may be about many sections.
const longest = 5 * time.Minute

const structuredUse = "to extract structured data (extract_structured_data)"

// readTask is the instruction for an extraction.
const readTask = "Extract facts from the member text of the data. Take only what the text says; " +
	"leave out members that it does not mention, and invent nothing. " +
	"Write numbers as JSON numbers with every digit of the text, without currency or thousands separators, and dates as YYYY-MM-DD."

func checkStructured(ctx context.Context, call *tool.Call, args structuredArgs) error {
	if err := oneSource(args.Text, args.Path); err != nil {
		return err
	}
	if _, err := args.form(); err != nil {
		return err
	}
	_, err := llm.Open(ctx, call, structuredUse)
	return err
}

// form returns the form of the answer: the caller's schema, or that of the template.
func (a *structuredArgs) form() (*llm.Form, error) {
	raw := json.RawMessage(a.Schema)
	if empty(raw) {
		template, known := templates[a.Template]
		if !known {
			return nil, tool.Fail(tool.ValidationError, "schema: describe the object with a JSON Schema such as %s, or choose a template",
				`{"properties":{"name":{"type":"string"}}}`)
		}
		raw = json.RawMessage(template)
	}
	form, err := llm.NewForm(raw)
	if err != nil {
		return nil, llm.Refusal("schema", err)
	}
	return form, nil
}

// empty reports whether an object has no members.
func empty(object json.RawMessage) bool {
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(string(object)), "{}")) == ""
}

func extractStructured(ctx context.Context, call *tool.Call, args structuredArgs) (*structuredResult, error) {
	form, err := args.form()
	if err != nil {
		return nil, err
	}
	model, err := llm.Open(ctx, call, structuredUse)
	if err != nil {
		return nil, err
	}
	text, err := source(call, args.Text, args.Path)
	if err != nil {
		return nil, err
	}
	task, data := readTask, map[string]any{}
	if len(args.Examples) > 0 {
		task += " The member examples has texts and the objects that they should become."
		data["examples"] = args.Examples
	}
	var answer llm.Answer
	if sections := textsplit.Split(text, sectionSize); len(sections) == 1 {
		data["text"] = text
		answer, err = model.JSON(ctx, llm.Ask{Task: task, Data: data}, form)
	} else {
		answer, err = extractSections(ctx, model, llm.Ask{Task: task, Data: data}, form, sections)
	}
	if err != nil {
		return nil, err
	}
	res := &structuredResult{
		Data:     answer.Data,
		Template: args.Template,
		Valid:    answer.Problems == nil,
		Problems: answer.Problems,
		Model:    model.Name(),
	}
	if res.Data == nil {
		res.Data = json.RawMessage("null")
	}
	if res.Valid {
		res.Problems = []string{}
	}
	return res, nil
}

// extractSections extracts from each section of a long text, and merges the objects. What
// does not fit afterwards is repaired once.
func extractSections(ctx context.Context, model *llm.Model, ask llm.Ask, form *llm.Form, sections []string) (llm.Answer, error) {
	task := ask.Task
	ask.Task += " The text is one part of a longer text; members that are required may be left out if this part does not mention them."
	var all json.RawMessage
	for i, section := range sections {
		ask.Data["text"], ask.Data["part"], ask.Data["parts"] = section, i+1, len(sections)
		part, err := model.Draft(ctx, ask, form)
		if err != nil {
			return llm.Answer{}, err
		}
		if part.Data != nil {
			all = merge(all, part.Data)
		}
	}
	fitting, problems := form.Check(all)
	if problems == nil {
		return llm.Answer{Data: fitting}, nil
	}
	return model.Repair(ctx, task, all, problems, form)
}
