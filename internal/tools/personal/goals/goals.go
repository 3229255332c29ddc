// Package goals holds the tools for a person's long-term goals and the steps to them.
//
// A goal and its steps are one item of the store, so that progress always fits the steps,
// however many calls complete steps together.
package goals

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Goals", "goals")

const timeout = 30 * time.Second

// The states of a goal. Those of a step are in steps.go.
const (
	active    = "active"
	completed = "completed"
)

// stored is a goal in the store.
type stored struct {
	Title       string  `json:"title"`
	Description string  `json:"description,omitempty"`
	Status      string  `json:"status" store:"index"`
	Priority    int     `json:"priority"`
	ParentID    string  `json:"parentId,omitempty" store:"index"`
	DueDate     string  `json:"dueDate,omitempty"`
	Progress    float64 `json:"progress"`
	CompletedAt string  `json:"completedAt,omitempty"`
	Steps       []step  `json:"steps,omitempty"`
	// Next is the number of the step that comes next; 0 if no step is open.
	Next int `json:"next"`
}

var goals = tool.NewCollection[stored]("goals")

// goal is a goal as a model sees it.
type goal struct {
	ID          string  `json:"id" doc:"For the goalId of other tools."`
	Title       string  `json:"title"`
	Description string  `json:"description,omitempty"`
	Status      string  `json:"status" enum:"active,paused,completed,abandoned"`
	Priority    int     `json:"priority" doc:"From 1 to 10, the most important."`
	Progress    float64 `json:"progress" doc:"In percent."`
	ParentID    string  `json:"parentId,omitempty" doc:"The goal that this one is a part of."`
	DueDate     string  `json:"dueDate,omitempty" doc:"A day, or a time, with the offset that it was given with."`
	CompletedAt string  `json:"completedAt,omitempty"`
	CreatedAt   string  `json:"createdAt"`
	UpdatedAt   string  `json:"updatedAt"`
}

// state is a goal in a few members.
type state struct {
	ID       string  `json:"id" doc:"For the goalId of other tools."`
	Title    string  `json:"title"`
	Status   string  `json:"status" enum:"active,paused,completed,abandoned"`
	Progress float64 `json:"progress" doc:"In percent."`
}

func show(r tool.Record[stored]) goal {
	v := r.Value
	return goal{
		ID: r.ID, Title: v.Title, Description: v.Description, Status: v.Status, Priority: v.Priority, Progress: v.Progress, ParentID: v.ParentID,
		DueDate: v.DueDate, CompletedAt: v.CompletedAt, CreatedAt: r.CreatedAt.Format(time.RFC3339), UpdatedAt: r.UpdatedAt.Format(time.RFC3339),
	}
}

func showState(r tool.Record[stored]) state {
	return state{ID: r.ID, Title: r.Value.Title, Status: r.Value.Status, Progress: r.Value.Progress}
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

// status sets the status, and when the goal was completed.
func (v *stored) status(status string, now time.Time) {
	switch {
	case status != completed:
		v.CompletedAt = ""
	case v.Status != completed:
		v.CompletedAt = now.UTC().Format(time.RFC3339)
	}
	v.Status = status
}

// find returns a goal by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[stored], error) {
	r, err := goals.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Goal not found: %s; list_goals shows the goals with their ids", textcut.Excerpt(id, 64))
	}
	return r, err
}

// checkTitle refuses a blank title.
func checkTitle(title string) error {
	if strings.TrimSpace(title) == "" {
		return tool.Fail(tool.ValidationError, "title is missing or blank")
	}
	return nil
}
