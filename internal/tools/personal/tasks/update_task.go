package tasks

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/entry"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type updateArgs struct {
	TaskID   string  `json:"taskId" doc:"The id of the task, as list_tasks shows it." min:"1" max:"64"`
	Title    *string `json:"title,omitempty" doc:"The new title." min:"1"`
	DueDate  *string `json:"dueDate,omitempty" doc:"The new due date, as in add_task; an empty text removes it."`
	Priority *string `json:"priority,omitempty" doc:"The new priority." enum:"low,normal,high,urgent"`
	Status   *string `json:"status,omitempty" doc:"The new status." enum:"pending,in_progress,completed,cancelled"`
	Category *string `json:"category,omitempty" doc:"The new category; an empty text removes it." max:"100"`
	Notes    *string `json:"notes,omitempty" doc:"The new details; an empty text removes them." max:"100000"`
}

type updateResult struct {
	Message string   `json:"message"`
	Task    task     `json:"task"`
	Changed []string `json:"changed" doc:"The parameters that changed something."`
}

var _ = tool.Add(Set, tool.Spec[updateArgs, *updateResult]{
	Name:          "update_task",
	Description:   "Change the title, due date, priority, status, category or notes of a task, and return it with the names of what changed.",
	Tags:          []string{"edit task", "modify", "task update", "change task"},
	Example:       `{"taskId":"k3f9q2x7m5ab","status":"in_progress","dueDate":"2026-11-25"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           updateTask,
})

func updateTask(ctx context.Context, call *tool.Call, args updateArgs) (*updateResult, error) {
	r, err := find(ctx, call, args.TaskID)
	if err != nil {
		return nil, err
	}
	was := r.Value
	if err := args.apply(&r.Value, call); err != nil {
		return nil, err
	}
	changed := []string{}
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"title", was.Title != r.Value.Title}, {"dueDate", was.DueDate != r.Value.DueDate}, {"priority", was.Priority != r.Value.Priority},
		{"status", was.Status != r.Value.Status}, {"category", was.Category != r.Value.Category}, {"notes", was.Notes != r.Value.Notes},
	} {
		if f.changed {
			changed = append(changed, f.name)
		}
	}
	if len(changed) == 0 {
		return &updateResult{
			Message: fmt.Sprintf("Task %q is like that already; nothing changed.", textcut.Excerpt(r.Value.Title, 100)),
			Task:    show(r),
			Changed: changed,
		}, nil
	}
	if r, err = tasks.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &updateResult{
		Message: fmt.Sprintf("Task updated: %q (%s).", textcut.Excerpt(r.Value.Title, 100), strings.Join(changed, ", ")),
		Task:    show(r),
		Changed: changed,
	}, nil
}

// apply changes what the arguments name.
func (args updateArgs) apply(v *stored, call *tool.Call) error {
	if args.Title == nil && args.DueDate == nil && args.Priority == nil && args.Status == nil && args.Category == nil && args.Notes == nil {
		return tool.Fail(tool.ValidationError,
			"nothing to change was given: name at least one of title, dueDate, priority, status, category, notes")
	}
	if args.Title != nil {
		if err := entry.Required("title", *args.Title); err != nil {
			return err
		}
		v.Title = *args.Title
	}
	if args.DueDate != nil {
		if err := v.due(*args.DueDate); err != nil {
			return err
		}
	}
	if args.Priority != nil {
		v.Priority = *args.Priority
	}
	if args.Status != nil {
		v.status(*args.Status, call.Clock.Now())
	}
	if args.Category != nil {
		v.Category = strings.TrimSpace(*args.Category)
	}
	if args.Notes != nil {
		v.Notes = *args.Notes
	}
	return nil
}
