package goals

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// pending is the status of a step that was added. Tools complete steps; the other states
// are for data that was imported.
const (
	pending = "pending"
	skipped = "skipped"
)

// maxSteps bounds the steps of a goal.
const maxSteps = 500

// step is a step of a goal in the store. Its number is its place among them, from 1.
type step struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Status      string `json:"status"`
	// After has the numbers of the steps that must be done before.
	After       []int  `json:"after,omitempty"`
	Result      string `json:"result,omitempty"`
	CreatedAt   string `json:"createdAt"`
	CompletedAt string `json:"completedAt,omitempty"`
}

func (s *step) done() bool { return s.Status == completed || s.Status == skipped }

// shownStep is a step as a model sees it.
type shownStep struct {
	ID           string   `json:"id" doc:"For the stepId of complete_step."`
	Title        string   `json:"title"`
	Description  string   `json:"description,omitempty"`
	Status       string   `json:"status" enum:"pending,in_progress,completed,skipped,blocked"`
	OrderNum     int      `json:"orderNum" doc:"Its place among the steps of the goal, from 1."`
	Dependencies []string `json:"dependencies,omitempty" doc:"The ids of the steps that must be done before."`
	Result       string   `json:"result,omitempty" doc:"The outcome that was noted when it was completed."`
	CompletedAt  string   `json:"completedAt,omitempty"`
}

// stepID returns the id of a step: the id of the goal and the number of the step.
func stepID(goalID string, number int) string { return goalID + "-" + strconv.Itoa(number) }

func showStep(r tool.Record[stored], number int) shownStep {
	s := r.Value.Steps[number-1]
	shown := shownStep{
		ID: stepID(r.ID, number), Title: s.Title, Description: s.Description, Status: s.Status, OrderNum: number, Result: s.Result,
		CompletedAt: s.CompletedAt,
	}
	for _, before := range s.After {
		shown.Dependencies = append(shown.Dependencies, stepID(r.ID, before))
	}
	return shown
}

// completedSteps returns the number of steps that are completed.
func (v *stored) completedSteps() (n int) {
	for i := range v.Steps {
		if v.Steps[i].Status == completed {
			n++
		}
	}
	return n
}

// open returns the numbers of the steps that must be done before a step and are not.
func (v *stored) open(number int) (list []int) {
	for _, before := range v.Steps[number-1].After {
		if !v.Steps[before-1].done() {
			list = append(list, before)
		}
	}
	return list
}

// advance sets progress and the next step after steps were added or completed.
func (v *stored) advance() {
	v.Progress = math.Round(100 * float64(v.completedSteps()) / float64(len(v.Steps)))
	v.Next = 0
	for number := 1; number <= len(v.Steps); number++ {
		if !v.Steps[number-1].done() && len(v.open(number)) == 0 {
			v.Next = number
			return
		}
	}
}

// findStep returns the goal of a step, and the number of the step.
func findStep(ctx context.Context, call *tool.Call, id string) (tool.Record[stored], int, error) {
	missing := tool.Fail(tool.NotFound, "Step not found: %s; get_next_actions and get_goal_details show the steps with their ids",
		textcut.Excerpt(id, 64))
	goalID, digits, ok := strings.Cut(strings.TrimSpace(id), "-")
	number, err := strconv.Atoi(digits)
	if !ok || err != nil || number < 1 || stepID(goalID, number) != strings.TrimSpace(id) {
		return tool.Record[stored]{}, 0, missing
	}
	r, err := goals.Get(ctx, call.Store, goalID)
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound || err == nil && number > len(r.Value.Steps) {
		return r, 0, missing
	}
	return r, number, err
}

// named returns the titles of steps with their ids, for messages.
func named(r tool.Record[stored], numbers []int) string {
	var list []string
	for _, number := range numbers {
		list = append(list, fmt.Sprintf("%q (%s)", textcut.Excerpt(r.Value.Steps[number-1].Title, 80), stepID(r.ID, number)))
	}
	return strings.Join(list, ", ")
}
