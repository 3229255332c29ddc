package scheduler

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// others is a tool that tasks call.
func others() *tool.Set {
	set := tool.NewSet("Notes", "notes")
	tool.Add(set, tool.Spec[struct {
		Title string `json:"title"`
	}, string]{
		Name: "add_note", Description: "Add a note.", Risk: tool.Low, Mutates: true, Timeout: time.Minute,
		Run: func(context.Context, *tool.Call, struct {
			Title string `json:"title"`
		}) (string, error) {
			return "", nil
		},
	})
	return set
}

// monday is the time of the tests, 09:00 in Berlin.
var monday = time.Date(2026, time.November, 23, 8, 0, 0, 0, time.UTC)

// ann returns a call of ann's, over an empty store, at that time.
func ann(t *testing.T) tool.Call {
	t.Helper()
	return tool.Call{
		Tenant: "default", User: "ann", Agent: "helper", Store: tooltest.NewStore(t), Clock: tooltest.Clock{T: monday},
		Schedules: &tooltest.Schedules{Sets: []*tool.Set{others(), Set}},
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

// hourly makes a task that is due each hour, with further members, and returns its id.
func hourly(t *testing.T, call tool.Call, more string) string {
	t.Helper()
	return play[one](t, call, "create_scheduled_task",
		`{"name":"Note","schedule":"0 * * * *","toolName":"add_note","toolArgs":{"title":"x"}`+more+`}`).Task.ID
}

// quoted returns {"taskId":id} with further members.
func quoted(id, more string) string { return `{"taskId":"` + id + `"` + more + `}` }

// looks returns when the tasks are to be looked at, after the time of the tests.
func looks(call tool.Call) (all []time.Duration) {
	for _, look := range call.Schedules.(*tooltest.Schedules).Looks() {
		all = append(all, look.At.Sub(monday))
	}
	return all
}

// claim claims the work of a task, and commits.
func claim(t *testing.T, call tool.Call, id string, now, since time.Time) Due {
	t.Helper()
	mine := call.Store.(*tooltest.Store).For(call.Tenant, call.User)
	due, err := Claim(t.Context(), mine, id, now, since)
	if err == nil {
		err = mine.Commit(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return due
}

// end stores outcomes of runs.
func end(t *testing.T, call tool.Call, id string, all ...Ended) {
	t.Helper()
	mine := call.Store.(*tooltest.Store).For(call.Tenant, call.User)
	err := End(t.Context(), mine, id, all)
	if err == nil {
		err = mine.Commit(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// unknown holds a tool to how it refuses ids: of no task, and of another person's task.
func unknown(t *testing.T, name, more string) {
	t.Helper()
	call := ann(t)
	id := hourly(t, call, "")
	call.User = "bob"
	tooltest.Run(t, Set, name, call, []tooltest.Case{
		{Name: "no such task", Args: quoted("nope", more), Fails: tool.NotFound, Message: "Scheduled task not found: nope; list_scheduled_tasks"},
		{Name: "another person's", Args: quoted(id, more), Fails: tool.NotFound, Message: "Scheduled task not found: " + id},
		{Name: "hostile id", Args: quoted("' OR 1=1 --", more), Fails: tool.NotFound},
		{Name: "no id", Args: `{}`, Fails: tool.ValidationError, Message: "taskId"},
	})
}
