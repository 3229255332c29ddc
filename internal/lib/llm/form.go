package llm

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// Form is the schema of an answer.
type Form struct {
	raw      json.RawMessage
	compiled *schema.Schema
}

// NewForm compiles a JSON Schema (draft-07) of an object. The type of its root may be left
// out. The error is an [*schema.Invalid] that names every problem.
func NewForm(raw json.RawMessage) (*Form, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err == nil && members["type"] == nil && members["properties"] != nil {
		members["type"] = json.RawMessage(`"object"`)
		if raw, err = json.Marshal(members); err != nil {
			return nil, err
		}
	}
	compiled, err := schema.Compile(raw)
	if err != nil {
		return nil, err
	}
	return &Form{raw: raw, compiled: compiled}, nil
}

// Check returns an object in the form of the schema, or the problems of an object that does
// not fit. As with the arguments of a tool, members at the top that the schema does not name and
// nulls that it does not allow are left out, and defaults are filled in.
func (f *Form) Check(object json.RawMessage) (fitting json.RawMessage, problems []string) {
	got, err := f.compiled.Prepare(object)
	if bad, ok := errors.AsType[*schema.Invalid](err); ok {
		return nil, asAnswer(bad.Problems)
	}
	if err != nil {
		return nil, []string{"the answer could not be checked"}
	}
	return got.Args, nil
}

// asAnswer rewords problems, which are worded for the arguments of a tool.
func asAnswer(problems []string) []string {
	words := strings.NewReplacer("missing required parameter", "missing required member", "unknown parameter", "unknown member")
	all := make([]string, len(problems))
	for i, p := range problems {
		if rest, found := strings.CutPrefix(p, "arguments: "); found {
			p = "answer: " + rest
		}
		all[i] = words.Replace(p)
	}
	return all
}

// object returns the JSON object in a text of a model, which may have a fence or sentences
// around it; nil if there is none.
func object(text string) json.RawMessage {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return nil
	}
	object := json.RawMessage(text[from : to+1])
	if schema.Strict(object) != nil {
		return nil
	}
	return object
}

// Refusal returns the error of a tool for a schema that NewForm refused.
func Refusal(parameter string, err error) *tool.Error {
	words := strings.NewReplacer("schema: ", "", "a tool's parameters", "the schema")
	return tool.Fail(tool.ValidationError, "%s: %s", parameter, words.Replace(err.Error()))
}
