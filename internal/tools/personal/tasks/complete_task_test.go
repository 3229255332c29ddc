package tasks

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCompleteTask(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"title":"Buy milk"}`)
	got := play[one](t, call, "complete_task", quoted(id, ""))
	if got.Message != `Task completed: "Buy milk".` || got.Task.Status != "completed" || got.Task.CompletedAt != "2026-11-23T09:00:00Z" {
		t.Errorf("result %+v", got)
	}
	call.Clock = tooltest.Clock{T: time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)}
	again := play[one](t, call, "complete_task", quoted(id, ""))
	if again.Message != `Task "Buy milk" was completed before.` || again.Task != got.Task {
		t.Errorf("a second time: %+v, want the same task", again)
	}
	unknown(t, "complete_task", "")
}
