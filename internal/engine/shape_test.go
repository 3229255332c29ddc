package engine

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestResultsThatBreakTheirSchema: a result of a tool that others wrote is marked if it does
// not fit the tool's own schema, and a model is told; nothing else about it changes.
func TestResultsThatBreakTheirSchema(t *testing.T) {
	t.Parallel()
	const counted = `{"type":"object","properties":{"n":{"type":"integer"},"name":{"type":"string"}},"required":["n"]}`
	for _, tt := range []struct {
		kind                   string
		schema, value, problem string
	}{
		{tool.KindMCP, counted, `{"n":1}`, ""},
		{tool.KindMCP, counted, `{"n":1,"nam":2}`, ""}, // more than the schema names, and no parameter
		{tool.KindMCP, counted, `{"n":"x"}`, "n"},
		{tool.KindRemote, counted, `{}`, "n"},
		{tool.KindJS, counted, `[1]`, "not an object"},
		{tool.KindBuiltin, counted, `{}`, ""},
		{tool.KindMCP, `{"type":"string"}`, `{}`, ""},
		{tool.KindMCP, ``, `{}`, ""},
	} {
		def := echoing(t, `{"type":"object"}`, nil).Definition
		def.Kind, def.ResultSchema = tt.kind, json.RawMessage(tt.schema)
		made, err := tool.New(def, 0, func(context.Context, *tool.Call, json.RawMessage) (tool.Result, error) {
			return tool.Result{Value: json.RawMessage(tt.value)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		out := holding(t, made).execute(t.Context(), job(`{}`))
		problem, _ := out.Result.Metadata["result_problem"].(string)
		if out.Err != nil || string(out.Result.Value) != tt.value || (problem == "") != (tt.problem == "") ||
			!strings.Contains(problem, tt.problem) {
			t.Errorf("%s of %s: %s, problem %q, %v", tt.value, tt.schema, out.Result.Value, problem, out.Err)
		}
		if notes := out.Result.Notes; (len(notes) == 1) != (tt.problem != "") {
			t.Errorf("%s: notes %q", tt.value, notes)
		}
	}
}

// TestCutNote: the note about a cut has the size of the part that is here, and of all.
func TestCutNote(t *testing.T) {
	t.Parallel()
	for want, res := range map[string]tool.Result{
		"3 of 48 bytes":    {Text: "abc", Metadata: map[string]any{"size": 48}},
		"4 of 9 bytes":     {Value: json.RawMessage(`"ab"`), Metadata: map[string]any{"bytes": int64(9)}},
		"7 entries in all": {Text: "abc", Metadata: map[string]any{"total": 7}},
		"after 3 bytes":    {Text: "abc"},
	} {
		if got := cutNote(&res); !strings.Contains(got, want) || !strings.Contains(got, "was cut") {
			t.Errorf("the note is %q, want %q", got, want)
		}
	}
}

// TestContentMustBeBlocks: content that is no list of blocks ends the call, and that of a
// failure is left out.
func TestContentMustBeBlocks(t *testing.T) {
	t.Parallel()
	run := func(content string, fail bool) Outcome {
		made := echoing(t, `{"type":"object"}`, nil)
		made, err := tool.New(made.Definition, 0, func(context.Context, *tool.Call, json.RawMessage) (tool.Result, error) {
			if fail {
				e := tool.Fail(tool.ExecutionError, "no")
				e.Content = json.RawMessage(content)
				return tool.Result{}, e
			}
			return tool.Result{Value: json.RawMessage(`1`), Content: json.RawMessage(content)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return holding(t, made).execute(t.Context(), job(`{}`))
	}
	for _, fail := range []bool{false, true} {
		if out := run(`[{"type":"text","text":"a"}]`, fail); (out.Err != nil) != fail || string(out.Result.Content) == "" {
			t.Errorf("%v: content %s, %v", fail, out.Result.Content, out.Err)
		}
		if out := run(`[`, fail); out.Err == nil || len(out.Result.Content) > 0 {
			t.Errorf("%v: what is no content is %s, %v", fail, out.Result.Content, out.Err)
		}
	}
}
