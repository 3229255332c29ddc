package goals

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

type updateArgs struct {
	GoalID      string   `json:"goalId" doc:"The id of the goal, as list_goals shows it." min:"1" max:"64"`
	Status      *string  `json:"status,omitempty" doc:"The new status." enum:"active,paused,completed,abandoned"`
	Progress    *float64 `json:"progress,omitempty" doc:"The new progress in percent; completing a step counts it again." min:"0" max:"100"`
	Title       *string  `json:"title,omitempty" doc:"The new title." min:"1" max:"500"`
	Description *string  `json:"description,omitempty" doc:"The new details; an empty text removes them." max:"900000"`
	Priority    *int     `json:"priority,omitempty" doc:"The new priority." min:"1" max:"10"`
	DueDate     *string  `json:"dueDate,omitempty" doc:"The new due date, as in create_goal; an empty text removes it."`
}

type updateResult struct {
	Message string   `json:"message"`
	Goal    goal     `json:"goal"`
	Changed []string `json:"changed" doc:"The parameters that changed something."`
}

var _ = tool.Add(Set, tool.Spec[updateArgs, *updateResult]{
	Name: "update_goal",
	Description: "Change the status, progress, title, description, priority or due date of a goal, and return it with the names of " +
		"what changed.",
	Tags:          []string{"goal update", "edit", "progress"},
	Example:       `{"goalId":"k3f9q2x7m5ab","status":"paused","priority":3}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           updateGoal,
})

func updateGoal(ctx context.Context, call *tool.Call, args updateArgs) (*updateResult, error) {
	r, err := find(ctx, call, args.GoalID)
	if err != nil {
		return nil, err
	}
	was := r.Value
	if err := args.apply(&r.Value, call); err != nil {
		return nil, err
	}
	changed := changes(&was, &r.Value)
	if len(changed) == 0 {
		return &updateResult{
			Message: fmt.Sprintf("Goal %q is like that already; nothing changed.", r.Value.Title),
			Goal:    show(r),
			Changed: changed,
		}, nil
	}
	if r, err = goals.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &updateResult{
		Message: fmt.Sprintf("Goal updated: %q (%s).", r.Value.Title, strings.Join(changed, ", ")),
		Goal:    show(r),
		Changed: changed,
	}, nil
}

// changes returns the names of the parameters in which two goals differ.
func changes(a, b *stored) []string {
	names := []string{}
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"status", a.Status != b.Status}, {"progress", a.Progress != b.Progress}, {"title", a.Title != b.Title},
		{"description", a.Description != b.Description}, {"priority", a.Priority != b.Priority}, {"dueDate", a.DueDate != b.DueDate},
	} {
		if f.changed {
			names = append(names, f.name)
		}
	}
	return names
}

// apply changes what the arguments name.
func (args updateArgs) apply(v *stored, call *tool.Call) error {
	if args.Status == nil && args.Progress == nil && args.Title == nil && args.Description == nil && args.Priority == nil &&
		args.DueDate == nil {
		return tool.Fail(tool.ValidationError,
			"nothing to change was given: name at least one of status, progress, title, description, priority, dueDate")
	}
	if args.Title != nil {
		if err := checkTitle(*args.Title); err != nil {
			return err
		}
		v.Title = *args.Title
	}
	if args.DueDate != nil {
		if err := v.due(*args.DueDate); err != nil {
			return err
		}
	}
	if args.Status != nil {
		v.status(*args.Status, call.Clock.Now())
	}
	if args.Progress != nil {
		v.Progress = *args.Progress
	}
	if args.Description != nil {
		v.Description = *args.Description
	}
	if args.Priority != nil {
		v.Priority = *args.Priority
	}
	return nil
}
