package goals

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type nextArgs struct {
	Limit  int `json:"limit,omitempty" doc:"The most actions to return, 1 to 20."`
	Offset int `json:"offset,omitempty" doc:"How many actions to skip."`
}

// action is the next step of a goal.
type action struct {
	StepID          string `json:"stepId" doc:"For the stepId of complete_step."`
	StepTitle       string `json:"stepTitle"`
	StepDescription string `json:"stepDescription,omitempty"`
	GoalID          string `json:"goalId" doc:"For the goalId of other tools."`
	GoalTitle       string `json:"goalTitle"`
	Priority        int    `json:"priority" doc:"Of the goal, from 1 to 10, the most important."`
	DueDate         string `json:"dueDate,omitempty" doc:"Of the goal."`
}

type nextResult struct {
	Message string   `json:"message"`
	Actions []action `json:"actions" doc:"One for each active goal with open steps, the highest priority first, then the oldest goal."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[nextArgs, *nextResult]{
	Name:         "get_next_actions",
	Description:  "Get what the person should do next: the next open step of each active goal, by priority.",
	Tags:         []string{"next action", "what to do", "suggestion", "do next"},
	Example:      `{"limit":3}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 5, Max: 20},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          getNextActions,
})

func getNextActions(ctx context.Context, call *tool.Call, args nextArgs) (*nextResult, error) {
	q := tool.Query{
		Where: []tool.Condition{tool.Where("status", tool.Equal, active), tool.Where("next", tool.Greater, 0)},
		Order: []tool.Order{{Field: "priority", Down: true}, {Field: tool.FieldCreated}},
		Limit: args.Limit,
	}
	found, counts, err := listing.Read(ctx, goals, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &nextResult{Actions: make([]action, len(found)), Counts: counts}
	for i, r := range found {
		next := showStep(r, r.Value.Next)
		res.Actions[i] = action{next.ID, next.Title, next.Description, r.ID, r.Value.Title, r.Value.Priority, r.Value.DueDate}
	}
	switch {
	case res.Total == 0:
		res.Message = "All caught up: no active goal has an open step."
	case res.Count == 0:
		res.Message = fmt.Sprintf("There are %d next action(s), none after offset %d.", res.Total, args.Offset)
	default:
		res.Message = fmt.Sprintf("%d next action(s) of %d; first: %q.", res.Count, res.Total, res.Actions[0].StepTitle)
	}
	return res, nil
}
