package tasks

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestUpdateTask(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"title":"Buy milk","dueDate":"2026-11-24","category":"shopping","notes":"2 litres"}`)
	for _, tt := range []struct{ more, changed, message string }{
		{`,"title":"Buy bread","priority":"urgent"`, "title priority", `Task updated: "Buy bread" (title, priority).`},
		{`,"status":"completed"`, "status", `Task updated: "Buy bread" (status).`},
		{`,"status":"completed"`, "", `Task "Buy bread" is like that already; nothing changed.`},
		{`,"status":"in_progress","dueDate":"2026-12-01T08:00+01:00"`, "dueDate status", ""},
		{`,"dueDate":"","category":"","notes":""`, "dueDate category notes", ""},
	} {
		got := play[updateResult](t, call, "update_task", quoted(id, tt.more))
		if changed := strings.Join(got.Changed, " "); changed != tt.changed || tt.message != "" && got.Message != tt.message {
			t.Errorf("%s: changed %q, %q; want %q, %q", tt.more, changed, got.Message, tt.changed, tt.message)
		}
		if (got.Task.Status == "completed") != (got.Task.CompletedAt != "") {
			t.Errorf("%s: %+v", tt.more, got.Task)
		}
	}
	got := play[listResult](t, call, "list_tasks", `{"limit":1}`).Tasks[0]
	if got.Title != "Buy bread" || got.DueDate+got.Category+got.Description != "" || got.Status != "in_progress" {
		t.Errorf("in the end: %+v", got)
	}
	tooltest.Run(t, Set, "update_task", call, []tooltest.Case{
		{Name: "nothing", Args: quoted(id, ""), Fails: tool.ValidationError, Message: "nothing to change"},
		{Name: "blank title", Args: quoted(id, `,"title":" "`), Fails: tool.ValidationError, Message: "title is missing or blank"},
		{Name: "date", Args: quoted(id, `,"dueDate":"next week"`), Fails: tool.ValidationError, Message: "dueDate"},
		{Name: "status", Args: quoted(id, `,"status":"done"`), Fails: tool.ValidationError, Message: "status"},
	})
	unknown(t, "update_task", `,"title":"x"`)
}
