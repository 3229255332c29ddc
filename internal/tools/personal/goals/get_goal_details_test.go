package goals

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestGetGoalDetails(t *testing.T) {
	call := ann(t)
	id := create(t, call, "Bake", `,"dueDate":"2026-12-24"`)
	part := create(t, call, "Learn to knead", `,"parentId":"`+id+`"`)
	create(t, call, "Other", "")
	decompose(t, call, id, "Mix", "Knead:0")
	play[completeResult](t, call, "complete_step", `{"stepId":"`+id+`-1","result":"done"}`)
	want := detailsResult{
		Message: `Goal "Bake" is active, 50% done; 1 of 2 step(s) are completed.`,
		Goal:    goal{ID: id, Title: "Bake", Status: "active", Priority: 5, Progress: 50, DueDate: "2026-12-24"},
		Steps: []shownStep{
			{ID: id + "-1", Title: "Mix", Status: "completed", OrderNum: 1, Result: "done", CompletedAt: "2026-11-23T09:00:00Z"},
			{ID: id + "-2", Title: "Knead", Status: "pending", OrderNum: 2, Dependencies: []string{id + "-1"}},
		},
		StepCount: 2, CompletedSteps: 1, Subgoals: []state{{part, "Learn to knead", "active", 0}},
	}
	got := play[detailsResult](t, call, "get_goal_details", quoted(id, ""))
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(goal{}, "CreatedAt", "UpdatedAt")); diff != "" || got.Goal.CreatedAt == "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if got := play[detailsResult](t, call, "get_goal_details", quoted(part, "")); len(got.Steps) != 0 || got.Goal.ParentID != id ||
		len(got.Subgoals) != 0 {
		t.Errorf("the part: %+v", got)
	}
	unknown(t, "get_goal_details", "")
}
