package codingagents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type getArgs struct {
	ResultID string `json:"result_id" min:"1" max:"64" doc:"The id that run_coding_task or list_task_results gave."`
}

var _ = tool.Add(Set, tool.Spec[getArgs, *kept]{
	Name: "get_task_result",
	Description: "Get the kept result of a coding task by its id: the prompt, whether it succeeded, what the agent wrote, its time and " +
		"its cost.",
	Tags:       []string{"coding", "agent", "result", "session", "output"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"result_id":"0199a3f0c8d2-5f1b7c9e2a40"}`,
	Needs:      tool.NeedStore,
	Timeout:    20 * time.Second,
	Run:        getTaskResult,
})

func getTaskResult(ctx context.Context, call *tool.Call, args getArgs) (*kept, error) {
	r, err := results.Get(ctx, call.Store, args.ResultID)
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case ok && e.Kind == tool.NotFound, err == nil && r.CreatedAt.Before(call.Clock.Now().Add(-keep)):
		return nil, tool.Fail(tool.ValidationError, "There is no result '%.64s'; list_task_results shows those of the last 30 days.",
			args.ResultID)
	case err != nil:
		return nil, err
	}
	r.Value.ID = r.ID
	return &r.Value, nil
}

// Present shows the end of a long text; the value has all of it.
func (k *kept) Present(res *tool.Result) {
	shown := *k
	shown.Output = textcut.Last(k.Output, maxShown)
	res.Truncated = k.Truncated
	if len(shown.Output) == len(k.Output) {
		return
	}
	shown.Truncated = true
	if text, err := encode(&shown); err == nil {
		res.Text = string(text)
		res.Metadata = map[string]any{"output_bytes": len(k.Output), "shown": fmt.Sprintf("the last %d characters", maxShown)}
	}
}
