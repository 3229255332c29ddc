package memory

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// monday is the time of the calls of these tests.
var monday = time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)

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
		Cache:   cache.New(1<<20).For("default", "ann"),
		Secrets: accounts{},
		HTTP:    http.DefaultClient,
		Clock:   tooltest.Clock{T: monday},
	}
}

// later returns the call some days later.
func later(call tool.Call, days int) tool.Call {
	call.Clock = tooltest.Clock{T: monday.AddDate(0, 0, days)}
	return call
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

// add remembers a fact and returns its id. More are further members of the arguments.
func add(t *testing.T, call tool.Call, content, more string) string {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return play[rememberResult](t, call, "remember", `{"type":"fact","content":`+string(text)+more+`}`).Memory.ID
}

// quoted returns {"memoryId":id} with further members.
func quoted(id, more string) string { return `{"memoryId":"` + id + `"` + more + `}` }

// contents returns the contents of memories, separated by |.
func contents(list []memory) string {
	var all []string
	for _, m := range list {
		all = append(all, m.Content)
	}
	return strings.Join(all, "|")
}

// unknown checks how a tool refuses ids of no memory, and of another person's memory.
func unknown(t *testing.T, name string) {
	t.Helper()
	call := ann(t)
	id := add(t, call, "Ann's", "")
	call.User = "bob"
	tooltest.Run(t, Set, name, call, []tooltest.Case{
		{Name: "no such memory", Args: quoted("nope", ""), Fails: tool.NotFound, Message: "Memory not found: nope; list_memories"},
		{Name: "another person's", Args: quoted(id, ""), Fails: tool.NotFound, Message: "Memory not found: " + id},
		{Name: "hostile id", Args: quoted("' OR 1=1 --", ""), Fails: tool.NotFound},
		{Name: "id with NUL", Args: quoted(`a\u0000`, ""), Fails: tool.NotFound},
		{Name: "long id", Args: quoted(strings.Repeat("x", 65), ""), Fails: tool.ValidationError, Message: "memoryId"},
		{Name: "no id", Args: `{}`, Fails: tool.ValidationError, Message: "memoryId"},
	})
}
