package goals

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGetNextActions(t *testing.T) {
	call := ann(t)
	if got := play[nextResult](t, call, "get_next_actions", `{"limit":5}`); got.Message != "All caught up: no active goal has an open step." ||
		len(got.Actions) != 0 {
		t.Errorf("without goals: %+v", got)
	}
	low := create(t, call, "Low", `,"priority":1,"dueDate":"2027-01-01"`)
	decompose(t, call, low, "low 1:1", "low 2", "low 3")
	high := create(t, call, "High", `,"priority":10`)
	decompose(t, call, high, "high 1", "high 2:0")
	same := create(t, call, "Same", `,"priority":10`)
	decompose(t, call, same, "same 1")
	create(t, call, "No steps", `,"priority":10`)
	paused := create(t, call, "Paused", `,"priority":10`)
	decompose(t, call, paused, "paused 1")
	play[updateResult](t, call, "update_goal", quoted(paused, `,"status":"paused"`))
	bob := call
	bob.User = "bob"
	decompose(t, bob, create(t, bob, "Bob's", ""), "bob 1")

	actions := func(args string) string {
		t.Helper()
		got := play[nextResult](t, call, "get_next_actions", args)
		var all []string
		for _, a := range got.Actions {
			all = append(all, a.StepTitle)
		}
		return fmt.Sprintf("%s of %d", strings.Join(all, ", "), got.Total)
	}
	for _, tt := range []struct{ complete, args, want string }{
		{"", `{"limit":5}`, "high 1, same 1, low 2 of 3"}, // low 1 waits for low 2
		{"", `{"limit":1}`, "high 1 of 3"},
		{"", `{"limit":1,"offset":1}`, "same 1 of 3"},
		{"", `{"limit":1,"offset":9000000000000}`, " of 3"},
		{"", `{"limit":1,"offset":-5}`, "high 1 of 3"},
		{high + "-1", `{"limit":5}`, "high 2, same 1, low 2 of 3"},
		{same + "-1", `{"limit":5}`, "high 2, low 2 of 2"},
		{low + "-2", `{"limit":5}`, "high 2, low 1 of 2"},
		{low + "-1", `{"limit":5}`, "high 2, low 3 of 2"},
		{high + "-2", `{"limit":5}`, "low 3 of 1"},
	} {
		if tt.complete != "" {
			play[completeResult](t, call, "complete_step", `{"stepId":"`+tt.complete+`"}`)
		}
		if got := actions(tt.args); got != tt.want {
			t.Errorf("after %s: %s, want %s", tt.complete, got, tt.want)
		}
	}
	got := play[nextResult](t, call, "get_next_actions", `{"limit":5}`)
	want := action{StepID: low + "-3", StepTitle: "low 3", GoalID: low, GoalTitle: "Low", Priority: 1, DueDate: "2027-01-01"}
	if diff := cmp.Diff([]action{want}, got.Actions); diff != "" || got.Message != `1 next action(s) of 1; first: "low 3".` {
		t.Errorf("result %+v (-want +got):\n%s", got, diff)
	}
}
