package dynamictools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

// mostCalls is the maximum number of calls in a batch.
const mostCalls = 20

type batchCall struct {
	ToolName  string      `json:"tool_name" doc:"The tool to call." min:"1" max:"64"`
	Arguments tool.Object `json:"arguments,omitempty" doc:"Its arguments."`

	item
}

type batchOperation struct {
	Tool string      `json:"tool" doc:"The tool to call." min:"1" max:"64"`
	Args tool.Object `json:"args,omitempty" doc:"Its arguments."`

	item
}

type batchArgs struct {
	Calls      []batchCall      `json:"calls,omitempty" doc:"The calls, at most 20."`
	Operations []batchOperation `json:"operations,omitempty" doc:"The same in other words; give one of the two."`
}

type batchItem struct {
	Index    int             `json:"index"`
	Tool     string          `json:"tool" doc:"The tool that was named; empty if none was."`
	Status   string          `json:"status" enum:"success,error"`
	Result   json.RawMessage `json:"result,omitempty"`
	Text     string          `json:"text,omitempty" doc:"The result in words, where the tool has such a form."`
	Error    tool.Kind       `json:"error_type,omitempty"`
	Message  string          `json:"message,omitempty"`
	Notes    []string        `json:"notes,omitempty" doc:"What to know beside the result, such as that it was cut."`
	Metadata map[string]any  `json:"metadata,omitempty" doc:"What else there is to know of the call, such as ignored: its unknown parameters."`
}

type batchResult struct {
	Results   []batchItem `json:"results" doc:"One for each call, in their order."`
	Total     int         `json:"total"`
	Succeeded int         `json:"succeeded"`
	Failed    int         `json:"failed"`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, batchResult]{
	Name:        "batch_use_tool",
	Description: "Call up to 20 tools at once, each on its own, where none needs another's result; returns what came of each, in order.",
	Tags:        []string{"batch", "parallel", "multiple tools", "concurrent", "bulk execute", "run many"},
	Errors:      []tool.Kind{},
	Example:     `{"calls":[{"tool_name":"calculate","arguments":{"expression":"6*7"}},{"tool_name":"get_current_time"}]}`,
	Risk:        tool.Low,
	Mutates:     false, // each nested call declares its own changes
	Needs:       tool.NeedTools,
	Timeout:     10 * time.Minute,
	Loose:       []string{"calls", "operations"}, // a wrong item fails alone
	Check:       func(_ context.Context, _ *tool.Call, args batchArgs) error { _, err := args.items(); return err },
	Run:         batchUseTool,
})

func batchUseTool(ctx context.Context, call *tool.Call, args batchArgs) (batchResult, error) {
	items, err := args.items()
	if err != nil {
		return batchResult{}, err
	}
	// An item without a tool is called too, and fails: the index of an item is part of
	// the id of its call.
	var calls []tool.InnerCall
	for _, item := range items {
		calls = append(calls, item.call)
	}
	res := batchResult{Results: []batchItem{}, Total: len(items)}
	for i, out := range call.Tools.Batch(ctx, calls) {
		item := batchItem{Index: i, Tool: calls[i].Tool, Metadata: items[i].metadata(out.Result.Metadata)}
		failure := out.Err
		if items[i].wrong != nil {
			failure = tool.AsError(items[i].wrong)
		}
		if failure != nil {
			item.Status, item.Error, item.Message = "error", failure.Kind, failure.Msg
			res.Failed++
		} else {
			item.Status, item.Result, item.Text = "success", out.Result.Value, out.Result.Text
			item.Notes = items[i].notes(out.Result.Notes)
			res.Succeeded++
		}
		res.Results = append(res.Results, item)
	}
	return res, nil
}

// items returns those of the batch, in whichever form they were written.
func (a *batchArgs) items() ([]asked, error) {
	switch n := len(a.Calls) + len(a.Operations); {
	case n == 0:
		return nil, tool.Fail(tool.ValidationError, "calls is empty; give 1 to %d calls as {\"tool_name\": …, \"arguments\": {…}}.", mostCalls)
	case len(a.Calls) > 0 && len(a.Operations) > 0:
		return nil, tool.Fail(tool.ValidationError, "calls and operations say the same; give one of the two.")
	case n > mostCalls:
		return nil, tool.Fail(tool.ValidationError, "The batch holds %d calls; at most %d can be made at once.", n, mostCalls)
	}
	var items []asked
	for _, c := range a.Calls {
		items = append(items, callForm.read(c.written))
	}
	for _, o := range a.Operations {
		items = append(items, operationForm.read(o.written))
	}
	return items, nil
}
