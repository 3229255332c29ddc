package goals

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

// maxParts bounds the goals that get_goal_details lists as parts of a goal.
const maxParts = 50

type detailsArgs struct {
	GoalID string `json:"goalId" doc:"The id of the goal, as list_goals shows it." min:"1" max:"64"`
}

type detailsResult struct {
	Message        string      `json:"message"`
	Goal           goal        `json:"goal"`
	Steps          []shownStep `json:"steps" doc:"In their order."`
	StepCount      int         `json:"stepCount" doc:"How many steps the goal has."`
	CompletedSteps int         `json:"completedSteps" doc:"How many of them are completed."`
	Subgoals       []state     `json:"subgoals" doc:"The goals that are parts of this one, the newest first, at most 50."`
}

var _ = tool.Add(Set, tool.Spec[detailsArgs, *detailsResult]{
	Name: "get_goal_details",
	Description: "Get all about one goal of the person: its steps in order with their ids and outcomes, its progress, and the goals that " +
		"are parts of it.",
	Tags:         []string{"goal detail", "info", "status"},
	Example:      `{"goalId":"k3f9q2x7m5ab"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{tool.NotFound},
	Timeout:      timeout,
	Run:          getGoalDetails,
})

func getGoalDetails(ctx context.Context, call *tool.Call, args detailsArgs) (*detailsResult, error) {
	r, err := find(ctx, call, args.GoalID)
	if err != nil {
		return nil, err
	}
	res := &detailsResult{
		Goal: show(r), Steps: make([]shownStep, len(r.Value.Steps)), StepCount: len(r.Value.Steps), CompletedSteps: r.Value.completedSteps(),
		Subgoals: []state{},
	}
	for i := range res.Steps {
		res.Steps[i] = showStep(r, i+1)
	}
	parts, err := goals.Query(ctx, call.Store, tool.Query{Where: []tool.Condition{tool.Where("parentId", tool.Equal, r.ID)}, Limit: maxParts})
	if err != nil {
		return nil, err
	}
	for _, part := range parts.List {
		res.Subgoals = append(res.Subgoals, showState(part))
	}
	res.Message = fmt.Sprintf("Goal %q is %s, %v%% done; %d of %d step(s) are completed.",
		res.Goal.Title, res.Goal.Status, res.Goal.Progress, res.CompletedSteps, res.StepCount)
	return res, nil
}
