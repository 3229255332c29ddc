package tasks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBatchAddTasks(t *testing.T) {
	call := ann(t)
	got := play[batchResult](t, call, "batch_add_tasks", `{"tasks":[{"title":"one"},{"title":"two","priority":"low"}]}`)
	if got.Message != "Added 2 task(s)." || got.Count != 2 || got.Tasks[0].Title != "one" || got.Tasks[1].Priority != "low" ||
		got.Results != nil {
		t.Errorf("result %+v", got)
	}
	bad := `[{"title":"three"},{"title":" "},{"priority":1},{"title":"four","dueDate":"soon"},7,{"title":"five","priority":"asap"}]`
	full := `{"tasks":[` + strings.Repeat(`{"title":"x"},`, 99) + `{"title":""}]}`
	tooltest.Run(t, Set, "batch_add_tasks", call, []tooltest.Case{
		{
			Name:    "all or none",
			Args:    `{"tasks":` + bad + `}`,
			Fails:   tool.ValidationError,
			Message: "item 1 (counted from 0): title is missing or blank; nothing was created",
		},
		{Name: "the last of 100", Args: full, Fails: tool.ValidationError, Message: "item 99 ("},
		{Name: "empty", Args: `{"tasks":[]}`, Fails: tool.ValidationError, Message: "1 to 100"},
		{
			Name:    "too many",
			Args:    `{"tasks":[` + strings.Repeat(`{"title":"x"},`, 100) + `{"title":"x"}]}`,
			Fails:   tool.ValidationError,
			Message: "not 101",
		},
		{Name: "no list", Args: `{"tasks":"x"}`, Fails: tool.ValidationError, Message: "tasks"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "tasks"},
	})
	if got := play[listResult](t, call, "list_tasks", `{}`).Total; got != 2 {
		t.Fatalf("%d tasks are stored, want 2", got)
	}
	each := play[batchResult](t, call, "batch_add_tasks", `{"atomic":false,"tasks":`+bad+`}`)
	if each.Count != 1 || each.Message != "Added 1 of 6 task(s); results has the outcome of each." || each.Tasks[0].Title != "three" {
		t.Errorf("each by itself: %+v", each)
	}
	var statuses []string
	for i, o := range each.Results {
		statuses = append(statuses, o.Status)
		if (o.Status == "error") != (o.Message != "") {
			t.Errorf("outcome %d: %+v", i, o)
		}
	}
	if diff := cmp.Diff([]string{"success", "error", "error", "error", "error", "error"}, statuses); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if each.Results[0] != (batch.Outcome{Status: "success", ID: each.Tasks[0].ID}) {
		t.Errorf("first outcome %+v", each.Results[0])
	}
}
