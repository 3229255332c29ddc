package scheduler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// claimed is claim with the arguments as compact JSON: PostgreSQL adds spaces.
func claimed(t *testing.T, call tool.Call, id string, now, since time.Time) Due {
	t.Helper()
	due := claim(t, call, id, now, since)
	for i := range due.Runs {
		var text bytes.Buffer
		if err := json.Compact(&text, due.Runs[i].Arguments); err != nil {
			t.Fatal(err)
		}
		due.Runs[i].Arguments = text.Bytes()
	}
	return due
}

// after is a time after that of the tests.
func after(d time.Duration) time.Time { return monday.Add(d) }

func TestClaim(t *testing.T) {
	call := ann(t)
	id := hourly(t, call, `,"priority":"low"`)
	if due := claim(t, call, id, after(59*time.Minute), monday); len(due.Runs) != 0 || !due.Wake.Equal(after(time.Hour)) {
		t.Errorf("before its time: %+v", due)
	}
	now := after(time.Hour + 2*time.Second)
	want := Due{Wake: after(2 * time.Hour), Runs: []Run{{
		CallID: fmt.Sprintf("s-%s-%d", id, after(time.Hour).Unix()), Tool: "add_note", Arguments: []byte(`{"title":"x"}`), Agent: "helper",
		Timezone: "UTC", Low: true, Due: after(time.Hour), Started: now, First: true,
	}}}
	if diff := cmp.Diff(want, claimed(t, call, id, now, monday)); diff != "" {
		t.Errorf("at its time (-want +got):\n%s", diff)
	}
	want.Runs[0].First = false // another dispatcher has it too, or this one again
	if diff := cmp.Diff(want, claimed(t, call, id, now.Add(time.Second), monday)); diff != "" {
		t.Errorf("again (-want +got):\n%s", diff)
	}
	end(t, call, id, Ended{CallID: want.Runs[0].CallID, At: now.Add(time.Second)}, Ended{CallID: "unknown"})
	if due := claim(t, call, id, now.Add(2*time.Second), monday); len(due.Runs) != 0 {
		t.Errorf("after its end: %+v", due)
	}
	end(t, call, id, Ended{CallID: want.Runs[0].CallID, Error: "timeout: too late"})
	h := play[historyResult](t, call, "get_task_history", quoted(id, `,"limit":5`))
	if h.Total != 1 || h.History[0].Status != "success" || h.History[0].Duration != "1s" || h.History[0].Error != "" {
		t.Errorf("history %+v", h)
	}
}

// TestMissedRuns: what is late because nothing could run it follows the policy; what is
// late because of a backlog runs.
func TestMissedRuns(t *testing.T) {
	for _, tt := range []struct {
		policy      string
		late, since time.Duration // after the first run was due
		runs        int
		statuses    string
	}{
		{"skip", 9 * time.Second, 5 * time.Second, 1, "pending"},
		{"skip", 11 * time.Second, 5 * time.Second, 0, "skipped"},
		{"skip", 11 * time.Second, -time.Hour, 1, "pending"},
		{"skip", 100 * time.Second, -time.Hour, 1, "pending"},
		{"skip", 3 * time.Minute, -time.Hour, 0, "skipped"},
		{"skip", 5*time.Hour + 30*time.Minute, 5 * time.Hour, 0, "skipped"},
		{"once", 11 * time.Second, 5 * time.Second, 1, "pending"},
		{"once", 5*time.Hour + 30*time.Minute, 5 * time.Hour, 1, "pending"},
		{"once", 5 * time.Hour, 5 * time.Hour, 1, "pending"},
	} {
		t.Run(fmt.Sprint(tt.policy, tt.late, tt.since), func(t *testing.T) {
			call := ann(t)
			id := hourly(t, call, `,"missedRuns":"`+tt.policy+`"`)
			first := after(time.Hour)
			now := first.Add(tt.late)
			due := claim(t, call, id, now, first.Add(tt.since))
			h := play[historyResult](t, call, "get_task_history", quoted(id, `,"limit":9`))
			statuses := ""
			for _, e := range h.History {
				statuses += e.Status
			}
			if len(due.Runs) != tt.runs || statuses != tt.statuses || !due.Wake.After(now) || due.Wake.Sub(now) > time.Hour {
				t.Errorf("%d runs, history %s, next %v; want %d, %s", len(due.Runs), statuses, due.Wake, tt.runs, tt.statuses)
			}
		})
	}
}

// TestBoundsOfRuns: a task ends with its runs or its time.
func TestBoundsOfRuns(t *testing.T) {
	for more, want := range map[string]int{`,"maxRuns":2`: 2, `,"endAt":"2026-11-23T11:00Z"`: 3, "": 6} {
		call := ann(t)
		id, made := hourly(t, call, more), 0
		for hour := range 6 {
			now := after(time.Duration(hour+1) * time.Hour)
			for _, run := range claim(t, call, id, now, monday).Runs {
				made++
				end(t, call, id, Ended{CallID: run.CallID, At: now})
			}
		}
		got := play[listResult](t, call, "list_scheduled_tasks", `{"limit":5,"offset":0}`).Tasks[0]
		if made != want || (got.NextRun == "") != (want < 6) || got.Runs != want {
			t.Errorf("%s: %d runs, want %d; then %+v", more, made, want, got)
		}
	}
}

// TestHistoryIsBounded: runs that have not ended are kept, and not more than fit.
func TestHistoryIsBounded(t *testing.T) {
	call := ann(t)
	id := hourly(t, call, "")
	for hour := range keptRuns + 10 {
		claim(t, call, id, after(time.Duration(hour+1)*time.Hour), monday)
	}
	h := play[historyResult](t, call, "get_task_history", quoted(id, `,"limit":50`))
	count := map[string]int{}
	for _, e := range h.History {
		count[e.Status]++
	}
	if h.Total != keptRuns || count["pending"] != keptRuns {
		t.Errorf("%d of %d runs are kept: %v", h.Total, keptRuns, count)
	}
	due := claim(t, call, id, after(61*time.Hour), monday)
	if len(due.Runs) != keptRuns {
		t.Errorf("%d runs have not ended, want %d", len(due.Runs), keptRuns)
	}
	for _, run := range due.Runs {
		end(t, call, id, Ended{CallID: run.CallID, Error: "execution_error: no"})
	}
	if due := claim(t, call, id, after(62*time.Hour), monday); len(due.Runs) != 1 {
		t.Errorf("then %d runs, want 1", len(due.Runs))
	}
	lost := claim(t, call, id, after(62*time.Hour+lostAfter+time.Minute), after(62*time.Hour+lostAfter))
	if len(lost.Runs) != 0 {
		t.Errorf("a run without an outcome for %v is still there: %+v", lostAfter, lost.Runs)
	}
}

// TestClaimOfNothing: a task that was deleted, disabled, or is another person's has no work.
func TestClaimOfNothing(t *testing.T) {
	call := ann(t)
	deleted, disabled, bobs := hourly(t, call, ""), hourly(t, call, ""), hourly(t, call, "")
	play[deleteResult](t, call, "delete_scheduled_task", quoted(deleted, ""))
	play[updateResult](t, call, "update_scheduled_task", quoted(disabled, `,"enabled":false`))
	for _, id := range []string{deleted, disabled, "nope"} {
		if due := claim(t, call, id, after(2*time.Hour), monday); len(due.Runs) != 0 || !due.Wake.IsZero() {
			t.Errorf("%s: %+v", id, due)
		}
		end(t, call, id, Ended{CallID: "x"})
	}
	call.User = "bob"
	if due := claim(t, call, bobs, after(time.Hour), monday); len(due.Runs) != 0 {
		t.Errorf("bob has the work of ann's task: %+v", due)
	}
}
