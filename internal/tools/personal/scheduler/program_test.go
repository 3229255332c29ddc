package scheduler

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// programArgs are those of a tool that is a program.
type programArgs struct {
	TimeoutSeconds float64 `json:"timeout_seconds,omitempty"`
}

// annWithPrograms is ann, with a tool that is a program.
func annWithPrograms(t *testing.T) tool.Call {
	t.Helper()
	set := tool.NewSet("Programs", "programs")
	tool.Add(set, tool.Spec[programArgs, string]{
		Name: "run_program", Description: "Run a program.", Risk: tool.Low, Durable: true, Timeout: time.Minute, Needs: tool.NeedDurable,
		Run: func(context.Context, *tool.Call, programArgs) (string, error) { return "", nil },
	})
	call := ann(t)
	call.Schedules = &tooltest.Schedules{Sets: []*tool.Set{set}}
	return call
}

func hourlyProgram(t *testing.T, call tool.Call, args string) string {
	t.Helper()
	return play[one](t, call, "create_scheduled_task",
		`{"name":"Ask","schedule":"0 * * * *","toolName":"run_program","toolArgs":`+args+`}`).Task.ID
}

// TestOverlappingPrograms: a task that is due while its program has not ended is skipped, and its
// history has the reason; once it has ended the task runs again.
func TestOverlappingPrograms(t *testing.T) {
	call := annWithPrograms(t)
	id := hourlyProgram(t, call, `{}`)
	first := claim(t, call, id, after(time.Hour), monday)
	second := claim(t, call, id, after(2*time.Hour), monday)
	if len(first.Runs) != 1 || len(second.Runs) != 1 || second.Runs[0].CallID != first.Runs[0].CallID {
		t.Errorf("first %+v, then %+v, want the one program", first.Runs, second.Runs)
	}
	h := play[historyResult](t, call, "get_task_history", quoted(id, `,"limit":9`)).History
	if len(h) != 2 || h[0].Status != "skipped" || !strings.Contains(h[0].Error, "has not ended: call "+first.Runs[0].CallID) {
		t.Errorf("history %+v", h)
	}
	end(t, call, id, Ended{CallID: first.Runs[0].CallID, At: after(2*time.Hour + time.Minute)})
	if due := claim(t, call, id, after(3*time.Hour), monday); len(due.Runs) != 1 || due.Runs[0].CallID == first.Runs[0].CallID {
		t.Errorf("after the end of the program %+v, want another", due.Runs)
	}
}

// TestLongPrograms: a run is not given up while its program may still wait.
func TestLongPrograms(t *testing.T) {
	for args, days := range map[string]int{`{}`: 7, `{"timeout_seconds":1728000}`: 27, `{"timeout_seconds":1e12}`: 37} {
		call := annWithPrograms(t)
		id := hourlyProgram(t, call, args)
		claim(t, call, id, after(time.Hour), monday)
		lost := after(time.Hour).Add(time.Duration(days) * 24 * time.Hour)
		status := func(now time.Time) (statuses string) {
			claim(t, call, id, now, monday)
			for _, h := range play[historyResult](t, call, "get_task_history", quoted(id, `,"limit":50`)).History {
				statuses += h.Status
			}
			return statuses
		}
		if got := status(lost); !strings.HasSuffix(got, "pending") {
			t.Errorf("%s: after %d days %s, want that the first run is pending", args, days, got)
		}
		if got := status(lost.Add(time.Second)); strings.HasSuffix(got, "pending") {
			t.Errorf("%s: later %s, want that it is lost", args, got)
		}
	}
}

// TestProgramsUnderWay: who deletes a task or switches it off is told which runs go on.
func TestProgramsUnderWay(t *testing.T) {
	call := annWithPrograms(t)
	id := hourlyProgram(t, call, `{}`)
	run := claim(t, call, id, after(time.Hour), monday).Runs[0].CallID
	off := play[updateResult](t, call, "update_scheduled_task", quoted(id, `,"enabled":false`)).Message
	deleted := play[deleteResult](t, call, "delete_scheduled_task", quoted(id, "")).Message
	for _, message := range []string{off, deleted} {
		if !strings.HasSuffix(message, " Runs that have not ended go on, and can be cancelled by their call_id: "+run+".") {
			t.Errorf("message %q", message)
		}
	}
}
