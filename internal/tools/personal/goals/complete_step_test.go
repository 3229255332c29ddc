package goals

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCompleteStep(t *testing.T) {
	call := ann(t)
	id := create(t, call, "Bake", "")
	steps := decompose(t, call, id, "Mix", "Knead:0", "Heat the oven")
	got := play[completeResult](t, call, "complete_step", `{"stepId":"`+steps[0].ID+`","result":"500 g"}`)
	want := completeResult{
		`Step completed: "Mix"; 1 of 3 step(s) of goal "Bake" are done. Next: "Knead" (` + id + `-2).`,
		shownStep{ID: id + "-1", Title: "Mix", Status: "completed", OrderNum: 1, Result: "500 g", CompletedAt: "2026-11-23T09:00:00Z"},
		state{id, "Bake", "active", 33},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	call.Clock = tooltest.Clock{T: time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)}
	for result, want := range map[string]string{
		``: `Step "Mix" was completed before.`, `,"result":"600 g"`: `Step "Mix" was completed before; its result was replaced.`,
	} {
		again := play[completeResult](t, call, "complete_step", `{"stepId":"`+steps[0].ID+`"`+result+`}`)
		if again.Message != want || again.Step.CompletedAt != got.Step.CompletedAt || again.Goal != got.Goal ||
			result != "" && again.Step.Result != "600 g" {
			t.Errorf("a second time: %+v", again)
		}
	}
	play[completeResult](t, call, "complete_step", `{"stepId":"`+steps[2].ID+`"}`)
	last := play[completeResult](t, call, "complete_step", `{"stepId":"`+steps[1].ID+`"}`)
	if last.Goal != (state{id, "Bake", "active", 100}) ||
		!strings.HasSuffix(last.Message, "If the goal is reached, set its status with update_goal.") {
		t.Errorf("the last step: %+v", last)
	}
}

// TestCompleteStepBefore: a step may be completed before the steps that it depends on, and
// the message names them.
func TestCompleteStepBefore(t *testing.T) {
	call := ann(t)
	id := create(t, call, "Bake", "")
	decompose(t, call, id, "Mix", "Heat the oven", "Bake it:0,1")
	got := play[completeResult](t, call, "complete_step", `{"stepId":"`+id+`-3"}`).Message
	if want := `It depends on steps that are still open: "Mix" (` + id + `-1), "Heat the oven" (` + id +
		`-2). Next: "Mix"`; !strings.Contains(got, want) {
		t.Errorf("message %q, want it to hold %q", got, want)
	}
}

// TestCompleteStepsTogether: the progress counts steps that are completed together.
func TestCompleteStepsTogether(t *testing.T) {
	call := ann(t)
	id := create(t, call, "Bake", "")
	steps := decompose(t, call, id, "a", "b", "c", "d")
	var all sync.WaitGroup
	for _, s := range steps {
		all.Go(func() {
			if _, err := tooltest.Play(t.Context(), findTool("complete_step"), call, `{"stepId":"`+s.ID+`"}`); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := play[detailsResult](t, call, "get_goal_details", quoted(id, "")); got.CompletedSteps != 4 || got.Goal.Progress != 100 {
		t.Errorf("%d steps are completed, progress %v", got.CompletedSteps, got.Goal.Progress)
	}
}

func findTool(name string) *tool.Tool {
	for _, tl := range Set.Tools() {
		if tl.Name == name {
			return tl
		}
	}
	return nil
}

func TestCompleteStepUnknown(t *testing.T) {
	call := ann(t)
	id := create(t, call, "Bake", "")
	decompose(t, call, id, "a")
	var cases []tooltest.Case
	for _, step := range []string{
		"nope", id, id + "-", id + "-0", id + "-2", id + "--1", id + "-01", id + "-+1", id + "-1-1", id + "-99999999999999999999", "x-1",
		"' OR 1=1 -- -1", `\u0000-1`, "-1", "-",
	} {
		cases = append(cases, tooltest.Case{
			Name:    step,
			Args:    `{"stepId":"` + step + `"}`,
			Fails:   tool.NotFound,
			Message: "get_next_actions and get_goal_details show the steps",
		})
	}
	cases = append(cases,
		tooltest.Case{Name: "no id", Args: `{}`, Fails: tool.ValidationError, Message: "stepId"},
		tooltest.Case{
			Name:    "long result",
			Args:    `{"stepId":"` + id + `-1","result":"` + strings.Repeat("x", 900_001) + `"}`,
			Fails:   tool.ValidationError,
			Message: "result",
		},
		tooltest.Case{Name: "NUL", Args: `{"stepId":"` + id + `-1","result":"\u0000"}`, Fails: tool.ValidationError, Message: "NUL"},
	)
	tooltest.Run(t, Set, "complete_step", call, cases)
	call.User = "bob"
	tooltest.Run(t, Set, "complete_step", call, []tooltest.Case{
		{Name: "another person's", Args: `{"stepId":"` + id + `-1"}`, Fails: tool.NotFound, Message: "Step not found: " + id + "-1"},
	})
}
