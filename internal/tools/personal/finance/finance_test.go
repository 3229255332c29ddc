package finance

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
		Clock: tooltest.Clock{T: time.Date(2026, time.November, 23, 22, 30, 0, 0, time.UTC)},
	}
}

// play makes a call that must succeed, and decodes its result.
func play[T any](t *testing.T, call tool.Call, name, args string) T {
	t.Helper()
	out, _ := noted[T](t, call, name, args)
	return out
}

// noted is play, and returns the notes of the call, too.
func noted[T any](t *testing.T, call tool.Call, name, args string) (out T, notes []string) {
	t.Helper()
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
		return out, res.Notes
	}
	t.Fatalf("there is no tool %s", name)
	return out, nil
}

// spend adds an expense and returns its id.
func spend(t *testing.T, call tool.Call, date, amount, currency, category, more string) string {
	t.Helper()
	args := `{"date":"` + date + `","amount":` + amount + `,"currency":"` + currency + `","category":"` + category + `","description":"` +
		category + `"` + more + `}`
	return play[addResult](t, call, "add_expense", args).Expense.ID
}
