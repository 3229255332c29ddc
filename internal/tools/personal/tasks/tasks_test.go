package tasks

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// ann returns a call of ann's, over an empty store.
func ann(t *testing.T) tool.Call {
	t.Helper()
	return tool.Call{
		User:  "ann",
		Store: tooltest.NewStore(t),
		Clock: tooltest.Clock{T: time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)},
	}
}

// play makes a call that must succeed, and decodes its result.
func play[T any](t *testing.T, call tool.Call, name, args string) T {
	t.Helper()
	var out T
	for _, tl := range Set.Tools() {
		if tl.Name != name {
			continue
		}
		res, err := tooltest.Play(t.Context(), tl, call, args)
		if err != nil {
			t.Fatalf("%s(%s): %v", name, args, err)
		}
		if err := json.Unmarshal(res.Value, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Fatalf("there is no tool %s", name)
	return out
}

// add adds a task and returns its id.
func add(t *testing.T, call tool.Call, args string) string {
	t.Helper()
	return play[one](t, call, "add_task", args).Task.ID
}

// quoted returns {"taskId":id} with further members.
func quoted(id, more string) string { return `{"taskId":"` + id + `"` + more + `}` }

// unknown holds a tool to how it refuses ids: of no task, and of another person's task.
func unknown(t *testing.T, name, more string) {
	t.Helper()
	call := ann(t)
	id := add(t, call, `{"title":"Ann's"}`)
	call.User = "bob"
	tooltest.Run(t, Set, name, call, []tooltest.Case{
		{Name: "no such task", Args: quoted("nope", more), Fails: tool.NotFound, Message: "Task not found: nope; list_tasks"},
		{Name: "another person's", Args: quoted(id, more), Fails: tool.NotFound, Message: "Task not found: " + id},
		{Name: "hostile id", Args: quoted("' OR 1=1 --", more), Fails: tool.NotFound},
		{Name: "no id", Args: `{}`, Fails: tool.ValidationError, Message: "taskId"},
	})
}
