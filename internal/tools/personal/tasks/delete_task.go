package tasks

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// deleteResult is the result of delete_task.
type deleteResult struct {
	Message string `json:"message"`
	Deleted task   `json:"deleted" doc:"The task as it was."`
}

var _ = tool.Add(Set, tool.Spec[idArgs, *deleteResult]{
	Name:          "delete_task",
	Description:   "Delete a task for ever, and return what was deleted; to tick off a task that is done, use complete_task.",
	Tags:          []string{"remove task", "delete", "cancel"},
	Example:       `{"taskId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args idArgs) error {
		_, err := find(ctx, call, args.TaskID) // nobody is asked about an id that does not exist
		return err
	},
	Run: deleteTask,
})

func deleteTask(ctx context.Context, call *tool.Call, args idArgs) (*deleteResult, error) {
	r, err := find(ctx, call, args.TaskID)
	if err != nil {
		return nil, err
	}
	if err := tasks.Delete(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &deleteResult{Message: fmt.Sprintf("Task deleted: %q.", textcut.Excerpt(r.Value.Title, 100)), Deleted: show(r)}, nil
}
