package goals

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// accounts is a config center with these entries of the service openai.
type accounts []tool.ServiceEntry

// Entries implements [tool.Secrets].
func (a accounts) Entries(context.Context, string) ([]tool.ServiceEntry, error) { return a, nil }

// ann returns a call of ann's, over an empty store.
func ann(t *testing.T) tool.Call {
	t.Helper()
	return tool.Call{
		User:    "ann",
		Store:   tooltest.NewStore(t),
		Secrets: accounts{},
		HTTP:    http.DefaultClient,
		Clock:   tooltest.Clock{T: time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)},
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
			t.Fatalf("%s(%.200s): %v", name, args, err)
		}
		if err := json.Unmarshal(res.Value, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Fatalf("there is no tool %s", name)
	return out
}

// create creates a goal and returns its id. More are further members of the arguments.
func create(t *testing.T, call tool.Call, title, more string) string {
	t.Helper()
	return play[one](t, call, "create_goal", `{"title":"`+title+`"`+more+`}`).Goal.ID
}

// decompose adds steps to a goal: their titles, each with the indexes that it depends on
// after a colon.
func decompose(t *testing.T, call tool.Call, goalID string, steps ...string) []shownStep {
	t.Helper()
	var list []string
	for _, s := range steps {
		title, on, _ := strings.Cut(s, ":")
		list = append(list, `{"title":"`+title+`","dependsOn":[`+on+`]}`)
	}
	return play[decomposeResult](t, call, "decompose_goal", quoted(goalID, `,"steps":[`+strings.Join(list, ",")+`]`)).Steps
}

// quoted returns {"goalId":id} with further members.
func quoted(id, more string) string { return `{"goalId":"` + id + `"` + more + `}` }

// unknown checks how a tool refuses ids of no goal, and of another person's goal.
func unknown(t *testing.T, name, more string) {
	t.Helper()
	call := ann(t)
	id := create(t, call, "Ann's", "")
	call.User = "bob"
	tooltest.Run(t, Set, name, call, []tooltest.Case{
		{Name: "no such goal", Args: quoted("nope", more), Fails: tool.NotFound, Message: "Goal not found: nope; list_goals"},
		{Name: "another person's", Args: quoted(id, more), Fails: tool.NotFound, Message: "Goal not found: " + id},
		{Name: "hostile id", Args: quoted("' OR 1=1 --", more), Fails: tool.NotFound},
		{Name: "id with NUL", Args: quoted(`a\u0000`, more), Fails: tool.NotFound},
		{Name: "long id", Args: quoted(strings.Repeat("x", 65), more), Fails: tool.ValidationError, Message: "goalId"},
		{Name: "no id", Args: `{}`, Fails: tool.ValidationError, Message: "goalId"},
	})
}
