package tasks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListTasks(t *testing.T) {
	call := ann(t)
	add(t, call, `{"title":"Buy milk","category":"shopping"}`)
	done := add(t, call, `{"title":"Milk the cow","priority":"urgent","notes":"cheese"}`)
	add(t, call, `{"title":"100% café_","category":"shopping","priority":"low"}`)
	play[one](t, call, "complete_task", quoted(done, ""))
	for args, want := range map[string]string{
		`{}`:                      "100% café_, Milk the cow, Buy milk",
		`{"status":"pending"}`:    "100% café_, Buy milk",
		`{"status":"completed"}`:  "Milk the cow",
		`{"priority":"urgent"}`:   "Milk the cow",
		`{"category":"shopping"}`: "100% café_, Buy milk",
		`{"search":"MILK"}`:       "Milk the cow, Buy milk",
		`{"search":"mil buy"}`:    "Buy milk",
		`{"search":"cheese"}`:     "",
		`{"search":"cafe"}`:       "100% café_",
		`{"search":"100%"}`:       "100% café_",
		`{"search":"%"}`:          "",
		`{"search":"\" OR 1"}`:    "",
		`{"search":"milk","category":"shopping","status":"pending"}`: "Buy milk",
		`{"limit":1}`:   "100% café_",
		`{"limit":-3}`:  "100% café_",
		`{"limit":"x"}`: "100% café_, Milk the cow, Buy milk",
		`{"offset":2}`:  "Buy milk",
	} {
		got := play[listResult](t, call, "list_tasks", limited(args))
		var titles []string
		for _, one := range got.Tasks {
			titles = append(titles, one.Title)
		}
		if list := strings.Join(titles, ", "); list != want || got.Count != len(titles) {
			t.Errorf("%s lists %q (%d), want %q", args, list, got.Count, want)
		}
	}
	tooltest.Run(t, Set, "list_tasks", call, []tooltest.Case{
		{Name: "status", Args: `{"status":"open"}`, Fails: tool.ValidationError, Message: "status"},
	})
	other := call
	other.User = "bob"
	tooltest.Run(t, Set, "list_tasks", other, []tooltest.Case{
		{Name: "nothing of others", Args: `{"limit":5}`, Want: `{"message":"0 task(s) found.","tasks":[],"total":0,"count":0,"truncated":false}`},
	})
	for i := range 60 {
		add(t, call, fmt.Sprintf(`{"title":"t%d"}`, i))
	}
	got := play[listResult](t, call, "list_tasks", `{"limit":50}`)
	if got.Total != 63 || got.Count != 50 || !got.Truncated || !strings.HasPrefix(got.Message, "50 of 63 task(s)") ||
		got.Tasks[0].Title != "t59" {
		t.Errorf("of 63: %d in total, %d, truncated %v, %q", got.Total, got.Count, got.Truncated, got.Message)
	}
}

// limited replaces a limit as the engine does: 20 unless it is a number, and at least 1.
func limited(args string) string {
	switch {
	case strings.Contains(args, `"limit":-3`):
		return strings.Replace(args, "-3", "1", 1)
	case strings.Contains(args, `"limit":1`):
		return args
	case args == `{}`, strings.Contains(args, `"limit"`):
		return `{"limit":20}`
	}
	return args[:len(args)-1] + `,"limit":20}`
}
