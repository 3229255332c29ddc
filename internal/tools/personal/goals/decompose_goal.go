package goals

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/helve-dev/helve/tool"
)

type decomposeArgs struct {
	GoalID string    `json:"goalId" doc:"The id of the goal, as list_goals shows it." min:"1" max:"64"`
	Steps  []newStep `json:"steps,omitempty" doc:"The steps in their order, at most 100. They come after the steps that the goal has. If they are left out, the configured model proposes them." min:"1" max:"100"`
}

type decomposeResult struct {
	Message string      `json:"message"`
	Steps   []shownStep `json:"steps" doc:"The steps that were added."`
	Goal    state       `json:"goal"`
}

var _ = tool.Add(Set, tool.Spec[decomposeArgs, *decomposeResult]{
	Name: "decompose_goal",
	Description: "Break a goal down into steps: store the steps given, or those that the configured model proposes, and return them with " +
		"their ids.",
	Tags:          []string{"decompose", "sub-goals", "steps", "break down"},
	Example:       `{"goalId":"k3f9q2x7m5ab","steps":[{"title":"Register for the race"},{"title":"Run 30 km","dependsOn":[0]}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Scopes:        tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:         tool.NeedStore | tool.NeedHTTP | tool.NeedSecrets,
	Errors:        []tool.Kind{tool.NotFound, tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Timeout:       60 * time.Second,
	Run:           decomposeGoal,
})

func decomposeGoal(ctx context.Context, call *tool.Call, args decomposeArgs) (*decomposeResult, error) {
	r, err := find(ctx, call, args.GoalID)
	if err != nil {
		return nil, err
	}
	if len(args.Steps) == 0 {
		if args.Steps, err = propose(ctx, call, &r.Value); err != nil {
			return nil, err
		}
	}
	if err := checkSteps(args.Steps); err != nil {
		return nil, err
	}
	before := len(r.Value.Steps)
	if before+len(args.Steps) > maxSteps {
		return nil, tool.Fail(tool.ValidationError,
			"steps: the goal has %d steps, and at most %d; use create_goal with parentId for a part of it", before, maxSteps)
	}
	r.Value.add(args.Steps, call.Clock.Now())
	if r, err = goals.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	res := &decomposeResult{
		Message: fmt.Sprintf("Added %d step(s) to goal %q, which has %d now.", len(args.Steps), r.Value.Title, len(r.Value.Steps)),
		Goal:    showState(r),
	}
	for i := range args.Steps {
		res.Steps = append(res.Steps, showStep(r, before+i+1))
	}
	return res, nil
}

// add adds steps after those that the goal has.
func (v *stored) add(list []newStep, now time.Time) {
	before := len(v.Steps)
	for _, in := range list {
		s := step{Title: in.Title, Description: in.Description, Status: pending, CreatedAt: now.UTC().Format(time.RFC3339)}
		for _, on := range in.DependsOn {
			if number := before + on + 1; !slices.Contains(s.After, number) {
				s.After = append(s.After, number)
			}
		}
		v.Steps = append(v.Steps, s)
	}
	v.advance()
}
