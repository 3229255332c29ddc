package scheduler

import "testing"

func TestDeleteScheduledTask(t *testing.T) {
	call := ann(t)
	id := hourly(t, call, "")
	got := play[deleteResult](t, call, "delete_scheduled_task", quoted(id, ""))
	if !got.Success || got.DeletedTask.ID != id || got.Message != `Scheduled task deleted: "Note".` {
		t.Errorf("result %+v", got)
	}
	if n := play[listResult](t, call, "list_scheduled_tasks", limited(`{}`)).Total; n != 0 {
		t.Errorf("%d tasks are left", n)
	}
	unknown(t, "delete_scheduled_task", "")
}
