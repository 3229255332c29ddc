package faults

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// scheduleTrials are the boundaries of a dispatcher that makes the run of a scheduled task.
var scheduleTrials = []trial{
	{point: failpoint.ScheduleFired},
	{point: failpoint.ScheduleClaimed},
	{point: failpoint.ScheduleMade},
}

// TestScheduleFails strikes a dispatcher at every boundary of a run that has an effect. The
// run is made, by that dispatcher or another, and it acts once.
func TestScheduleFails(t *testing.T) {
	for _, c := range scheduleTrials {
		for _, action := range actions {
			t.Run(c.name()+"/"+action, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.worker()
				victim := w.dispatcher(c.arm(action))
				task := w.scheduled(victim, "every 24 hours")
				victim.send(time.Minute, w.call(defaultTenant, "trigger-1", "trigger_task", map[string]any{"taskId": task}))
				victim.struck(c.point, action)
				d := victim
				if action != "error" {
					d = w.dispatcher()
				}
				w.ranOnce(d, task)
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
				}
				w.settled(d)
				if lines := w.ledger(defaultTenant); len(lines) != 1 {
					t.Errorf("the ledger has the calls %v, want one", lines)
				}
			})
		}
	}
}

// scheduled makes a task with an effect, and returns its id.
func (w *world) scheduled(d door, schedule string) string {
	w.t.Helper()
	made := d.settle(w.t, w.call(defaultTenant, "create-1", "create_scheduled_task", map[string]any{
		"name": "effect", "schedule": schedule, "toolName": "debug.effect", "toolArgs": map[string]any{"key": "k"},
	}))
	var task struct {
		Task struct{ ID string } `json:"task"`
	}
	if err := json.Unmarshal(made.Result, &task); err != nil {
		w.t.Fatalf("create_scheduled_task: %+v: %v", made, err)
	}
	return task.Task.ID
}

// ranOnce waits until the one run of a task has ended, and looks for its line in the ledger.
func (w *world) ranOnce(d door, task string) {
	w.t.Helper()
	var seen struct {
		History []struct{ CallID, Status string } `json:"history"`
	}
	n := 0
	await(w.t, "the end of the run", func() bool {
		n++
		got := d.settle(w.t, w.call(defaultTenant, fmt.Sprint("history-", n), "get_task_history", map[string]any{"taskId": task}))
		if err := json.Unmarshal(got.Result, &seen); err != nil {
			w.t.Fatalf("get_task_history: %+v: %v", got, err)
		}
		return len(seen.History) > 0 && seen.History[0].Status == "success"
	})
	if len(seen.History) != 1 || w.ledger(defaultTenant)[seen.History[0].CallID] != 1 {
		w.t.Errorf("the history is %+v and the ledger %v, want one run with one line", seen.History, w.ledger(defaultTenant))
	}
}
