package goals

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestUpdateGoal(t *testing.T) {
	call := ann(t)
	id := create(t, call, "Run a marathon", `,"dueDate":"2027-10-04","description":"Below 4 hours"`)
	for _, tt := range []struct{ more, changed, message string }{
		{`,"title":"Run a half marathon","priority":9`, "title priority", `Goal updated: "Run a half marathon" (title, priority).`},
		{`,"status":"completed","progress":100`, "status progress", ""},
		{`,"status":"completed"`, "", `Goal "Run a half marathon" is like that already; nothing changed.`},
		{`,"status":"abandoned","progress":12.5`, "status progress", ""},
		{`,"status":"active","dueDate":"2027-11-01"`, "status dueDate", ""},
		{`,"dueDate":"","description":""`, "description dueDate", ""},
	} {
		got := play[updateResult](t, call, "update_goal", quoted(id, tt.more))
		if changed := strings.Join(got.Changed, " "); changed != tt.changed || tt.message != "" && got.Message != tt.message {
			t.Errorf("%s: changed %q, %q; want %q, %q", tt.more, changed, got.Message, tt.changed, tt.message)
		}
		if (got.Goal.Status == "completed") != (got.Goal.CompletedAt != "") {
			t.Errorf("%s: %+v", tt.more, got.Goal)
		}
	}
	got := play[detailsResult](t, call, "get_goal_details", quoted(id, "")).Goal
	if got.Title != "Run a half marathon" || got.Priority != 9 || got.Progress != 12.5 || got.DueDate+got.Description != "" ||
		got.Status != "active" {
		t.Errorf("in the end: %+v", got)
	}
	tooltest.Run(t, Set, "update_goal", call, []tooltest.Case{
		{Name: "nothing", Args: quoted(id, ""), Fails: tool.ValidationError, Message: "nothing to change"},
		{Name: "blank title", Args: quoted(id, `,"title":" "`), Fails: tool.ValidationError, Message: "title is missing or blank"},
		{Name: "date", Args: quoted(id, `,"dueDate":"next week"`), Fails: tool.ValidationError, Message: "dueDate"},
		{Name: "status", Args: quoted(id, `,"status":"done"`), Fails: tool.ValidationError, Message: "status"},
		{Name: "progress above 100", Args: quoted(id, `,"progress":100.1`), Fails: tool.ValidationError, Message: "progress"},
		{Name: "negative progress", Args: quoted(id, `,"progress":-1e300`), Fails: tool.ValidationError, Message: "progress"},
		{Name: "priority", Args: quoted(id, `,"priority":0`), Fails: tool.ValidationError, Message: "priority"},
		{Name: "NUL", Args: quoted(id, `,"description":"\u0000"`), Fails: tool.ValidationError, Message: "NUL"},
	})
	unknown(t, "update_goal", `,"title":"x"`)
}
