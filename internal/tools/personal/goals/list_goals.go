package goals

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Status string `json:"status" doc:"The status of the goals." default:"active" enum:"active,paused,completed,abandoned"`
	Limit  int    `json:"limit,omitempty" doc:"The most goals to return, 1 to 30."`
	Offset int    `json:"offset,omitempty" doc:"How many goals to skip."`
}

// listed is a goal in a list.
type listed struct {
	goal

	StepCount      int `json:"stepCount" doc:"How many steps it has."`
	CompletedSteps int `json:"completedSteps" doc:"How many of them are completed."`
}

type listResult struct {
	Message string   `json:"message"`
	Goals   []listed `json:"goals" doc:"The newest first."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name:         "list_goals",
	Description:  "List the person's goals of one status, newest first, and return them with their ids and progress.",
	Tags:         []string{"goals", "objectives", "list", "show"},
	Example:      `{"status":"active","limit":10}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 10, Max: 30},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listGoals,
})

func listGoals(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	q := tool.Query{Where: []tool.Condition{tool.Where("status", tool.Equal, args.Status)}, Limit: args.Limit}
	found, counts, err := listing.Read(ctx, goals, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listResult{Goals: make([]listed, len(found)), Counts: counts}
	for i, r := range found {
		res.Goals[i] = listed{show(r), len(r.Value.Steps), r.Value.completedSteps()}
	}
	res.Message = fmt.Sprintf("%d %s goal(s) found.", res.Total, args.Status)
	if res.Truncated {
		res.Message = fmt.Sprintf("%d of %d %s goal(s), the newest first; set offset to see others.", res.Count, res.Total, args.Status)
	}
	return res, nil
}
