package tasks

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

var _ = tool.Add(Set, tool.Spec[input, *one]{
	Name:          "add_task",
	Description:   "Add a task to the person's to-do list, to remember something that is to be done, and return it with its id.",
	Tags:          []string{"task", "todo", "to-do", "job", "plan", "add", "create", "new task", "reminder"},
	Example:       `{"title":"Buy milk","dueDate":"2026-11-24","priority":"high","category":"shopping"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           addTask,
})

func addTask(ctx context.Context, call *tool.Call, in input) (*one, error) {
	v, err := in.new()
	if err != nil {
		return nil, err
	}
	r, err := tasks.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	return &one{Message: fmt.Sprintf("Task added: %q.", textcut.Excerpt(v.Title, 100)), Task: show(r)}, nil
}
