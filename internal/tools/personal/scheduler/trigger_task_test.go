package scheduler

import (
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTriggerTask(t *testing.T) {
	call := ann(t)
	id := hourly(t, call, `,"enabled":false`)
	got := play[triggerResult](t, call, "trigger_task", quoted(id, ""))
	if !got.Triggered || got.Task.NextRun != "" || got.Task.LastStatus != "pending" || got.Result != nil {
		t.Errorf("result %+v", got)
	}
	if all := looks(call); !slices.Equal(all, []time.Duration{lookSoon, lookAgain, time.Minute}) {
		t.Errorf("looked at after %v", all)
	}
	due := claim(t, call, id, after(time.Second), after(time.Hour)) // whenever the dispatcher came
	if len(due.Runs) != 1 || due.Runs[0].CallID != got.CallID || !due.Wake.IsZero() {
		t.Errorf("work %+v, want the run %s", due, got.CallID)
	}
	unknown(t, "trigger_task", "")
}

func TestTriggerTaskIsBounded(t *testing.T) {
	call := ann(t)
	id := hourly(t, call, "")
	for i := range keptRuns {
		call.Clock = tooltest.Clock{T: after(time.Duration(i) * time.Second)}
		play[triggerResult](t, call, "trigger_task", quoted(id, ""))
	}
	tooltest.Run(t, Set, "trigger_task", call, []tooltest.Case{
		{Name: "too many", Args: quoted(id, ""), Fails: tool.RateLimited, Message: "50 runs of the task have not ended"},
	})
}
