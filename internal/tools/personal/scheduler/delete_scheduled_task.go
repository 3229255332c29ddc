package scheduler

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type deleteResult struct {
	Success     bool   `json:"success"`
	DeletedTask task   `json:"deletedTask"`
	Message     string `json:"message"`
}

var _ = tool.Add(Set, tool.Spec[idArgs, *deleteResult]{
	Name: "delete_scheduled_task",
	Description: "Delete a scheduled task with its history for ever, and return what was deleted; " +
		"to pause it, disable it with update_scheduled_task.",
	Tags:          []string{"schedule delete", "cancel"},
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
	Run: deleteScheduledTask,
})

func deleteScheduledTask(ctx context.Context, call *tool.Call, args idArgs) (*deleteResult, error) {
	r, err := find(ctx, call, args.TaskID)
	if err != nil {
		return nil, err
	}
	if err := tasks.Delete(ctx, call.Store, r); err != nil {
		return nil, err
	}
	message := fmt.Sprintf("Scheduled task deleted: %q.", r.Value.Name) + r.Value.underWay()
	return &deleteResult{Success: true, DeletedTask: show(r), Message: message}, nil
}
