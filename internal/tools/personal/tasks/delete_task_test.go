package tasks

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteTask(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"title":"Buy milk","category":"shopping"}`)
	add(t, call, `{"title":"stays"}`)
	got := play[deleteResult](t, call, "delete_task", quoted(id, ""))
	if got.Message != `Task deleted: "Buy milk".` || got.Deleted.Category != "shopping" {
		t.Errorf("result %+v", got)
	}
	left := play[listResult](t, call, "list_tasks", `{"limit":5}`)
	if left.Total != 1 || left.Tasks[0].Title != "stays" {
		t.Errorf("left: %+v", left)
	}
	tooltest.Run(t, Set, "delete_task", call, []tooltest.Case{{Name: "again", Args: quoted(id, ""), Fails: tool.NotFound}})
	unknown(t, "delete_task", "")
}
