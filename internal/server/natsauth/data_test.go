package natsauth

import (
	"strings"
	"testing"
)

// TestPersonalData: the processes may do what an export, an import and a deletion need,
// and a person's credential reaches the data of that person.
func TestPersonalData(t *testing.T) {
	t.Parallel()
	agent, user, admin := shared.as(t, "acme.agent"), shared.as(t, "acme.user"), shared.as(t, "acme.admin")
	large := strings.Repeat("x", 400<<10) // arguments and result go through the object stores
	for _, call := range []string{
		`{"tool": "add_note", "arguments": {"title": "Zebra", "content": "x"}}`,
		`{"tool": "create_scheduled_task", "arguments": {"name": "x", "schedule": "@daily", "toolName": "list_notes"}}`,
		`{"tool": "debug.echo", "arguments": {"value": "` + large + `"}}`,
	} {
		if e := agent.call(t, "acme", `{"context": {"user": "dora"}, "calls": [`+call+`]}`); e["status"] != "success" {
			t.Fatalf("%.80s = %.300v", call, e)
		}
	}
	file, _ := user.api(t, "acme", "data.export", `{"user": "dora"}`)["data"].(string)
	if !strings.Contains(file, "Zebra") || !strings.Contains(file, "scheduled_tasks") {
		t.Errorf("the export is %s", file)
	}
	if list, _ := admin.api(t, "acme", "schedules.list", `{"user": "dora"}`)["schedules"].([]any); len(list) != 1 {
		t.Errorf("the tasks are %v", list)
	}
	if e := agent.call(
		t, "acme", `{"context": {"user": "dora"}, "calls": [{"tool": "write_file", "arguments": {"path": "a.txt", "content": "x"}}]}`,
	); e["status"] != "success" {
		t.Fatalf("write_file = %v", e)
	}
	if list, _ := admin.api(t, "acme", "files.list", `{"user": "dora"}`)["files"].([]any); len(list) != 1 {
		t.Errorf("the files are %v", list)
	}
	user.api(t, "acme", "files.delete", `{"user": "dora", "path": "a.txt"}`)
	if list, _ := admin.api(t, "acme", "files.list", `{"user": "dora"}`)["files"].([]any); len(list) != 0 {
		t.Errorf("the files after a deletion are %v", list)
	}
	done := admin.api(t, "acme", "data.delete", `{"user": "dora"}`)
	if done["items"] != 2.0 || done["results"] != 4.0 {
		t.Errorf("deleted %v, want 2 items and 4 results", done)
	}
	if !agent.refusesPublish(t, msg("helve.v1.acme.api.data.export", `{"user": "dora"}`)) {
		t.Error("an agent could export the data of a person")
	}
}
