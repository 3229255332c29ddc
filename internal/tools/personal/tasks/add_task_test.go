package tasks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/lib/entry"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAddTask(t *testing.T) {
	call := ann(t)
	got := play[one](t, call, "add_task",
		`{"title":" Buy milk ","dueDate":"2026-11-24 09:00","priority":"high","category":"shopping","notes":"2 litres"}`)
	want := one{Message: `Task added: " Buy milk ".`, Task: task{
		Title: " Buy milk ", Description: "2 litres", Status: "pending", Priority: "high", DueDate: "2026-11-24T09:00:00", Category: "shopping",
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(task{}, "ID", "CreatedAt", "UpdatedAt")); diff != "" || len(got.Task.ID) != 12 ||
		got.Task.CreatedAt == "" {
		t.Errorf("result %+v (-want +got):\n%s", got, diff)
	}
	if got := play[one](t, call, "add_task", `{"title":"x"}`).Task; got.Priority != "normal" || got.DueDate != "" {
		t.Errorf("defaults: %+v", got)
	}
	tooltest.Run(t, Set, "add_task", call, []tooltest.Case{
		{Name: "no title", Args: `{}`, Fails: tool.ValidationError, Message: "title"},
		{Name: "blank title", Args: `{"title":"  "}`, Fails: tool.ValidationError, Message: "title is missing or blank"},
		{Name: "long title", Args: `{"title":"` + strings.Repeat("x", entry.MaxText+1) + `"}`, Fails: tool.ValidationError, Message: "title has"},
		{Name: "NUL", Args: `{"title":"a\u0000b"}`, Fails: tool.ValidationError, Message: "NUL"},
		{
			Name:    "a word for a date",
			Args:    `{"title":"x","dueDate":"tomorrow"}`,
			Fails:   tool.ValidationError,
			Message: "dueDate: \"tomorrow\" is no date",
		},
		{Name: "no such day", Args: `{"title":"x","dueDate":"2026-02-29"}`, Fails: tool.ValidationError, Message: "YYYY-MM-DD"},
		{Name: "priority", Args: `{"title":"x","priority":"asap"}`, Fails: tool.ValidationError, Message: "priority"},
		{Name: "emoji and right-to-left", Args: `{"title":"🛒 לקנות חלב"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), "🛒 לקנות חלב") {
				t.Errorf("result %s", res.Value)
			}
		}},
	})
	if got := play[listResult](t, call, "list_tasks", `{}`).Total; got != 3 {
		t.Errorf("%d tasks are stored, want 3", got)
	}
}
