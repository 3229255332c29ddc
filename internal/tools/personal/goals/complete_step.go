package goals

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type completeArgs struct {
	StepID string `json:"stepId" doc:"The id of the step, as get_next_actions and get_goal_details show it." min:"1" max:"64"`
	Result string `json:"result,omitempty" doc:"What the outcome of the step is." max:"900000"`
}

type completeResult struct {
	Message string    `json:"message"`
	Step    shownStep `json:"step"`
	Goal    state     `json:"goal" doc:"The goal, with its new progress."`
}

var _ = tool.Add(Set, tool.Spec[completeArgs, *completeResult]{
	Name:          "complete_step",
	Description:   "Mark a step of a goal as completed when it is done, with its outcome, and return it with the progress of the goal.",
	Tags:          []string{"step complete", "finish", "mark progress", "done step of goal"},
	Example:       `{"stepId":"k3f9q2x7m5ab-1","result":"Registered, start number 512"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           completeStep,
})

func completeStep(ctx context.Context, call *tool.Call, args completeArgs) (*completeResult, error) {
	r, number, err := findStep(ctx, call, args.StepID)
	if err != nil {
		return nil, err
	}
	s := &r.Value.Steps[number-1]
	if s.Status == completed && (args.Result == "" || args.Result == s.Result) {
		return &completeResult{Message: fmt.Sprintf("Step %q was completed before.", s.Title), Step: showStep(r, number), Goal: showState(r)}, nil
	}
	if args.Result != "" {
		s.Result = args.Result
	}
	message := fmt.Sprintf("Step %q was completed before; its result was replaced.", s.Title)
	if s.Status != completed {
		s.Status, s.CompletedAt = completed, call.Clock.Now().UTC().Format(time.RFC3339)
		r.Value.advance()
		message = completion(r, number)
	}
	if r, err = goals.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &completeResult{Message: message, Step: showStep(r, number), Goal: showState(r)}, nil
}

// completion returns the message for a step that was just completed.
func completion(r tool.Record[stored], number int) string {
	v := &r.Value
	text := fmt.Sprintf("Step completed: %q; %d of %d step(s) of goal %q are done.",
		v.Steps[number-1].Title, v.completedSteps(), len(v.Steps), v.Title)
	if open := v.open(number); len(open) > 0 {
		text += fmt.Sprintf(" It depends on steps that are still open: %s.", named(r, open))
	}
	switch {
	case v.Next != 0:
		text += fmt.Sprintf(" Next: %s.", named(r, []int{v.Next}))
	case v.Status == active:
		text += " If the goal is reached, set its status with update_goal."
	}
	return text
}
