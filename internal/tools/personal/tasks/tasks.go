// Package tasks holds the tools for a person's to-do items.
package tasks

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/entry"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Tasks", "tasks")

// The states of a task.
const (
	pending   = "pending"
	completed = "completed"
)

const timeout = 30 * time.Second

// stored is a task in the store.
type stored struct {
	Title       string `json:"title" store:"search"`
	Notes       string `json:"notes,omitempty"`
	Status      string `json:"status"`
	Priority    string `json:"priority"`
	DueDate     string `json:"dueDate,omitempty"`
	Category    string `json:"category,omitempty"`
	CompletedAt string `json:"completedAt,omitempty"`
}

var tasks = tool.NewCollection[stored]("tasks")

// task is a task as a model sees it.
type task struct {
	ID          string `json:"id" doc:"For the taskId of other tools."`
	Title       string `json:"title"`
	Description string `json:"description,omitempty" doc:"The notes."`
	Status      string `json:"status" enum:"pending,in_progress,completed,cancelled"`
	Priority    string `json:"priority" enum:"low,normal,high,urgent"`
	DueDate     string `json:"dueDate,omitempty" doc:"A day, or a time, with the offset that it was given with."`
	Category    string `json:"category,omitempty"`
	CompletedAt string `json:"completedAt,omitempty"`
	CreatedAt   string `json:"createdAt"`
	UpdatedAt   string `json:"updatedAt"`
}

// one is the result of a tool that deals with one task.
type one struct {
	Message string `json:"message"`
	Task    task   `json:"task"`
}

func show(r tool.Record[stored]) task {
	v := r.Value
	return task{
		ID: r.ID, Title: v.Title, Description: v.Notes, Status: v.Status, Priority: v.Priority, DueDate: v.DueDate, Category: v.Category,
		CompletedAt: v.CompletedAt, CreatedAt: r.CreatedAt.Format(time.RFC3339), UpdatedAt: r.UpdatedAt.Format(time.RFC3339),
	}
}

// input is a new task.
type input struct {
	Title    string `json:"title" doc:"What is to be done." min:"1"`
	DueDate  string `json:"dueDate,omitempty" doc:"When it is due: YYYY-MM-DD or YYYY-MM-DDTHH:mm:ss, with an offset such as +01:00 if it matters."`
	Priority string `json:"priority,omitempty" doc:"How urgent it is; normal if it is left out." enum:"low,normal,high,urgent"`
	Category string `json:"category,omitempty" doc:"A category, such as work, personal or shopping." max:"100"`
	Notes    string `json:"notes,omitempty" doc:"Details." max:"100000"`
}

// new returns the task to store, or what is wrong with the input.
func (in input) new() (stored, error) {
	v := stored{Title: in.Title, Notes: in.Notes, Status: pending, Priority: "normal", Category: strings.TrimSpace(in.Category)}
	if err := entry.Required("title", v.Title); err != nil {
		return v, err
	}
	switch in.Priority {
	case "":
	case "low", "normal", "high", "urgent":
		v.Priority = in.Priority
	default:
		return v, tool.Fail(tool.ValidationError, "priority is %q, and must be low, normal, high or urgent", in.Priority)
	}
	return v, v.due(in.DueDate)
}

// due sets the due date; an empty text clears it.
func (v *stored) due(text string) error {
	v.DueDate = ""
	if text == "" {
		return nil
	}
	at, err := dates.Written(text)
	if err != nil {
		return tool.Fail(tool.ValidationError, "dueDate: %s", tool.AsError(err).Msg)
	}
	v.DueDate = at
	return nil
}

// status sets the status, and when the task was completed.
func (v *stored) status(status string, now time.Time) {
	switch {
	case status != completed:
		v.CompletedAt = ""
	case v.Status != completed:
		v.CompletedAt = now.UTC().Format(time.RFC3339)
	}
	v.Status = status
}

// find returns a task by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[stored], error) {
	r, err := tasks.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Task not found: %s; list_tasks shows the tasks with their ids", id)
	}
	return r, err
}
