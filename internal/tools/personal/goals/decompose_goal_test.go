package goals

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDecomposeGoal(t *testing.T) {
	call := ann(t)
	id := create(t, call, "Run a marathon", "")
	got := play[decomposeResult](t, call, "decompose_goal",
		quoted(id, `,"steps":[{"title":"Buy shoes","description":"🏃"},{"title":"Run 10 km","dependsOn":[0,0]}]`))
	want := decomposeResult{`Added 2 step(s) to goal "Run a marathon", which has 2 now.`, []shownStep{
		{ID: id + "-1", Title: "Buy shoes", Description: "🏃", Status: "pending", OrderNum: 1},
		{ID: id + "-2", Title: "Run 10 km", Status: "pending", OrderNum: 2, Dependencies: []string{id + "-1"}},
	}, state{id, "Run a marathon", "active", 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	play[completeResult](t, call, "complete_step", `{"stepId":"`+id+`-1"}`)
	more := play[decomposeResult](t, call, "decompose_goal", quoted(id, `,"steps":[{"title":"Rest","dependsOn":[1]},{"title":"Run 20 km"}]`))
	if more.Steps[0].ID != id+"-3" || more.Steps[0].Dependencies[0] != id+"-4" || more.Goal.Progress != 25 {
		t.Errorf("a second time: %+v", more)
	}
	tooltest.Run(t, Set, "decompose_goal", call, []tooltest.Case{
		{
			Name: "no steps", Args: quoted(id, ""), Fails: tool.NotConfigured,
			Message: `The service "openai" is not configured, neither for ann nor for the tenant default. It is needed to propose steps; a call that gives steps does without it. Set it: helve config set openai --stdin api_key`,
		},
		{Name: "empty", Args: quoted(id, `,"steps":[]`), Fails: tool.ValidationError, Message: "steps"},
		{Name: "no list", Args: quoted(id, `,"steps":"run"`), Fails: tool.ValidationError, Message: "steps"},
		{
			Name: "too many", Args: quoted(id, `,"steps":[`+strings.Repeat(`{"title":"x"},`, 100)+`{"title":"x"}]`), Fails: tool.ValidationError,
			Message: "steps",
		},
		{
			Name: "one bad of 100", Args: quoted(id, `,"steps":[`+strings.Repeat(`{"title":"x"},`, 99)+`{"title":" "}]`),
			Fails: tool.ValidationError, Message: "steps[99].title is missing or blank; nothing was stored",
		},
		{Name: "no title", Args: quoted(id, `,"steps":[{"description":"x"}]`), Fails: tool.ValidationError, Message: "title"},
		{
			Name: "circle", Args: quoted(id, `,"steps":[{"title":"Dig","dependsOn":[1]},{"title":"Pour","dependsOn":[0]}]`),
			Fails: tool.ValidationError, Message: `0 "Dig" -> 1 "Pour" -> 0 "Dig"; nothing was stored`,
		},
		{
			Name: "unknown", Args: quoted(id, `,"steps":[{"title":"Dig","dependsOn":[7]}]`), Fails: tool.ValidationError,
			Message: `0 "Dig" depends on step 7`,
		},
		{Name: "huge index", Args: quoted(id, `,"steps":[{"title":"Dig","dependsOn":[9223372036854775807]}]`), Fails: tool.ValidationError},
		{
			Name: "index of no number", Args: quoted(id, `,"steps":[{"title":"Dig","dependsOn":["first"]}]`), Fails: tool.ValidationError,
			Message: "dependsOn",
		},
		{Name: "NUL", Args: quoted(id, `,"steps":[{"title":"a\u0000"}]`), Fails: tool.ValidationError, Message: "NUL"},
	})
	if got := play[detailsResult](t, call, "get_goal_details", quoted(id, "")).StepCount; got != 4 {
		t.Errorf("the goal has %d steps, want 4", got)
	}
	unknown(t, "decompose_goal", `,"steps":[{"title":"x"}]`)
}

func TestDecomposeGoalTooFar(t *testing.T) {
	call := ann(t)
	id := create(t, call, "Everything", "")
	hundred := quoted(id, `,"steps":[`+strings.Repeat(`{"title":"x"},`, 99)+`{"title":"x"}]`)
	for range maxSteps / 100 {
		play[decomposeResult](t, call, "decompose_goal", hundred)
	}
	tooltest.Run(t, Set, "decompose_goal", call, []tooltest.Case{
		{
			Name:    "beyond the bound",
			Args:    hundred,
			Fails:   tool.ValidationError,
			Message: "the goal has 500 steps, and at most 500; use create_goal with parentId",
		},
	})
}
