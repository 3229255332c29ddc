package goals

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListGoals(t *testing.T) {
	call := ann(t)
	first := create(t, call, "first", "")
	decompose(t, call, first, "a", "b")
	paused := create(t, call, "paused", "")
	play[updateResult](t, call, "update_goal", quoted(paused, `,"status":"paused"`))
	create(t, call, "last", `,"priority":1`)
	play[completeResult](t, call, "complete_step", `{"stepId":"`+first+`-1"}`)
	for args, want := range map[string]string{
		`{"limit":10}`:                       "last 0/0, first 1/2",
		`{"limit":10,"status":"paused"}`:     "paused 0/0",
		`{"limit":10,"status":"completed"}`:  "",
		`{"limit":1}`:                        "last 0/0",
		`{"limit":1,"offset":1}`:             "first 1/2",
		`{"limit":1,"offset":-1}`:            "last 0/0",
		`{"limit":1,"offset":9000000000000}`: "",
	} {
		got := play[listResult](t, call, "list_goals", args)
		var all []string
		for _, g := range got.Goals {
			all = append(all, fmt.Sprintf("%s %d/%d", g.Title, g.CompletedSteps, g.StepCount))
		}
		if list := strings.Join(all, ", "); list != want || got.Count != len(all) {
			t.Errorf("%s lists %q, want %q", args, list, want)
		}
	}
	got := play[listResult](t, call, "list_goals", `{"limit":1}`)
	if got.Total != 2 || !got.Truncated || got.Message != "1 of 2 active goal(s), the newest first; set offset to see others." {
		t.Errorf("result %+v", got)
	}
	tooltest.Run(t, Set, "list_goals", call, []tooltest.Case{
		{Name: "status", Args: `{"status":"all"}`, Fails: tool.ValidationError, Message: "status"},
	})
	call.User = "bob"
	tooltest.Run(t, Set, "list_goals", call, []tooltest.Case{
		{
			Name: "nothing of others",
			Args: `{"limit":5}`,
			Want: `{"message":"0 active goal(s) found.","goals":[],"total":0,"count":0,"truncated":false}`,
		},
	})
}
