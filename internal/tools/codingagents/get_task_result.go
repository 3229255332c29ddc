package codingagents

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/helve-dev/helve/tool"
)

type getArgs struct {
	ResultID string `json:"result_id" min:"1" max:"64" doc:"The id that run_coding_task or list_task_results gave."`
}

var _ = tool.Add(Set, tool.Spec[getArgs, *kept]{
	Name:        "get_task_result",
	Description: "Get the kept result of a coding task by its id: the prompt, whether it succeeded, what the agent wrote, its time and its cost.",
	Tags:        []string{"coding", "agent", "result", "session", "output"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Errors:      []tool.Kind{},
	Example:     `{"result_id":"0199a3f0c8d2-5f1b7c9e2a40"}`,
	Needs:       tool.NeedDocuments,
	Timeout:     20 * time.Second,
	Run:         getTaskResult,
})

var idForm = regexp.MustCompile(`^[0-9a-f]{12}-[0-9a-f]{12}$`)

func getTaskResult(ctx context.Context, call *tool.Call, args getArgs) (*kept, error) {
	var doc json.RawMessage
	if idForm.MatchString(args.ResultID) {
		var err error
		if doc, err = call.Documents.Get(ctx, results, args.ResultID); err != nil {
			return nil, err
		}
	}
	if doc == nil {
		return nil, tool.Fail(tool.ValidationError, "There is no result '%.64s'; list_task_results shows those of the last 30 days.", args.ResultID)
	}
	k := &kept{}
	if err := json.Unmarshal(doc, k); err != nil {
		return nil, tool.Fail(tool.Internal, "The kept result '%s' cannot be read.", args.ResultID).Because(err)
	}
	return k, nil
}

// Present shows a model the end of a long text; the value has all of it.
func (k *kept) Present(res *tool.Result) {
	shown := *k
	shown.Output = lastChars(k.Output, maxShown)
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
