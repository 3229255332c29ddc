package tasks

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type idArgs struct {
	TaskID string `json:"taskId" doc:"The id of the task, as list_tasks shows it." min:"1" max:"64"`
}

var _ = tool.Add(Set, tool.Spec[idArgs, *one]{
	Name:          "complete_task",
	Description:   "Mark a task as completed when it is done, and return it.",
	Tags:          []string{"done", "finish", "complete", "close", "mark", "check"},
	Example:       `{"taskId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           completeTask,
})

func completeTask(ctx context.Context, call *tool.Call, args idArgs) (*one, error) {
	r, err := find(ctx, call, args.TaskID)
	if err != nil {
		return nil, err
	}
	if r.Value.Status == completed {
		return &one{Message: fmt.Sprintf("Task %q was completed before.", textcut.Excerpt(r.Value.Title, 100)), Task: show(r)}, nil
	}
	r.Value.status(completed, call.Clock.Now())
	if r, err = tasks.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &one{Message: fmt.Sprintf("Task completed: %q.", textcut.Excerpt(r.Value.Title, 100)), Task: show(r)}, nil
}
