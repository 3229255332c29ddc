package goals

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGoalStats(t *testing.T) {
	call := ann(t)
	want := statsResult{Message: "0 goal(s), 0 of them active; the average progress is 0%."}
	if diff := cmp.Diff(want, play[statsResult](t, call, "goal_stats", `{}`)); diff != "" {
		t.Errorf("of nothing (-want +got):\n%s", diff)
	}
	for _, more := range []string{
		`,"progress":100,"status":"completed"`, `,"progress":50,"status":"paused"`, `,"progress":25`, `,"status":"abandoned"`, `,"priority":9`,
		`,"priority":1`,
	} {
		play[updateResult](t, call, "update_goal", quoted(create(t, call, "x", ""), more))
	}
	bob := call
	bob.User = "bob"
	create(t, bob, "Bob's", "")
	want = statsResult{"6 goal(s), 3 of them active; the average progress is 29.17%.", stats{6, byStatus{3, 1, 1, 1}, 29.17}}
	if diff := cmp.Diff(want, play[statsResult](t, call, "goal_stats", `{}`)); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}
