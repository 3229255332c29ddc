package scheduler

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestGetTaskHistory(t *testing.T) {
	call := ann(t)
	id := hourly(t, call, `,"timezone":"Europe/Berlin"`)
	for hour := 1; hour <= 3; hour++ {
		now := after(time.Duration(hour)*time.Hour + time.Second)
		run := claim(t, call, id, now, monday).Runs[0]
		outcome := Ended{CallID: run.CallID, At: now.Add(1500 * time.Millisecond)}
		if hour == 2 {
			outcome.Error = "tool_not_found: Tool 'add_note' not found" + strings.Repeat("!", 500)
		}
		if hour < 3 {
			end(t, call, id, outcome)
		}
	}
	got := play[historyResult](t, call, "get_task_history", quoted(id, `,"limit":2`))
	if got.Task != (named{id, "Note"}) || got.HistoryCount != 2 || got.Total != 3 || !got.Truncated {
		t.Errorf("result %+v", got)
	}
	if e := got.History[0]; e.Status != "pending" || e.CompletedAt != "" || e.Due != "2026-11-23T12:00:00+01:00" {
		t.Errorf("newest %+v", e)
	}
	failed := got.History[1]
	if !strings.HasPrefix(failed.Error, "tool_not_found: Tool 'add_note' not found!") || len(failed.Error) > 310 {
		t.Errorf("error %q", failed.Error)
	}
	failed.Error = ""
	want := entry{
		ExecutionID: failed.CallID, CallID: CallID(id, after(2*time.Hour)), Status: "error", Due: "2026-11-23T11:00:00+01:00",
		StartedAt: "2026-11-23T11:00:01+01:00", CompletedAt: "2026-11-23T11:00:02+01:00", Duration: "1.5s",
	}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	unknown(t, "get_task_history", "")
}
