package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListMemories(t *testing.T) {
	call := ann(t)
	add(t, call, "old", `,"importance":0.8`)
	add(t, call, "faint", `,"importance":0.1`)
	call = later(call, 90)
	add(t, call, "new", `,"importance":0.4,"tags":["x"]`)
	play[rememberResult](t, call, "remember", `{"content":"liked","type":"preference","importance":0}`)
	for args, want := range map[string]string{
		`{"limit":20}`:                                         "liked|new|faint|old",
		`{"limit":20,"type":"preference"}`:                     "liked",
		`{"limit":20,"type":"event"}`:                          "",
		`{"limit":20,"minImportance":0.4}`:                     "new|old",
		`{"limit":20,"minImportance":0.4001}`:                  "",
		`{"limit":20,"minImportance":0.05}`:                    "new|faint|old",
		`{"limit":20,"minImportance":0.06}`:                    "new|old",
		`{"limit":20,"minImportance":0}`:                       "liked|new|faint|old",
		`{"limit":20,"minImportance":1}`:                       "",
		`{"limit":1}`:                                          "liked",
		`{"limit":2,"offset":1}`:                               "new|faint",
		`{"limit":2,"offset":-9}`:                              "liked|new",
		`{"limit":1,"offset":1,"minImportance":0.05}`:          "faint",
		`{"limit":9,"offset":9000000000,"minImportance":0.05}`: "",
		`{"limit":9,"offset":9000000000}`:                      "",
	} {
		got := play[listResult](t, call, "list_memories", args)
		if list := contents(got.Memories); list != want || got.Count != len(got.Memories) {
			t.Errorf("%s lists %q, want %q", args, list, want)
		}
	}
	got := play[listResult](t, call, "list_memories", `{"limit":1,"offset":1}`)
	if got.Message != "1 of 4 memory(ies), the newest first; set offset to see others, or use recall to search." || !got.Truncated ||
		got.Memories[0].Tags[0] != "x" || got.Memories[0].CreatedAt != "2027-02-21T09:00:00Z" {
		t.Errorf("result %+v", got)
	}
	tooltest.Run(t, Set, "list_memories", call, []tooltest.Case{
		{Name: "type", Args: `{"type":"%"}`, Fails: tool.ValidationError, Message: "type"},
		{Name: "importance", Args: `{"minImportance":-0.1}`, Fails: tool.ValidationError, Message: "minImportance"},
		{Name: "no importance", Args: `{"minImportance":"high"}`, Fails: tool.ValidationError, Message: "minImportance"},
	})
	call.User = "bob"
	tooltest.Run(t, Set, "list_memories", call, []tooltest.Case{
		{
			Name: "nothing of others",
			Args: `{"limit":5}`,
			Want: `{"message":"No memories found.","memories":[],"total":0,"count":0,"truncated":false}`,
		},
	})
}

// TestListFaded: memories at the floor of their importance are found on every page.
func TestListFaded(t *testing.T) {
	call := ann(t)
	for range 3 {
		var list []string
		for i := range 100 {
			list = append(list, fmt.Sprintf(`{"content":"%p %d","type":"fact","importance":%v}`, &list, i, 0.01*float64(i)))
		}
		play[batchResult](t, call, "batch_remember", `{"memories":[`+strings.Join(list, ",")+`]}`)
	}
	call = later(call, 1000)
	for _, tt := range []struct{ offset, count int }{{0, 50}, {120, 30}, {150, 0}} {
		got := play[listResult](t, call, "list_memories", fmt.Sprintf(`{"minImportance":0.05,"limit":50,"offset":%d}`, tt.offset))
		if got.Total != 150 || got.Count != tt.count || got.Truncated != (tt.offset == 0) {
			t.Errorf("offset %d: %d of %d, truncated %v, want %d of 150", tt.offset, got.Count, got.Total, got.Truncated, tt.count)
		}
		for _, m := range got.Memories {
			if m.Importance < 0.05 {
				t.Errorf("offset %d lists %+v", tt.offset, m)
			}
		}
	}
}
