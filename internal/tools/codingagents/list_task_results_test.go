package codingagents

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListTaskResults(t *testing.T) {
	w := newWorld(t, "")
	w.play("list_task_results", tooltest.Case{Name: "none", Want: `{"results":[],"total":0,"count":0,"truncated":false}`})
	var ids []string
	for n := range 60 {
		ids = append(ids, w.stored(began.Add(time.Duration(n)*time.Minute), "text").ID)
	}
	w.play("list_task_results", tooltest.Case{
		Name: "one", Args: `{"limit":1}`,
		Want: `{"results":[{"id":"` + ids[59] + `","provider":"codex","prompt":"` + strings.Repeat("päng ", 20) +
			`","state":"completed","success":true,"durationMs":1500,` +
			`"costUsd":null,"exitCode":0,"createdAt":"2026-03-04T05:05:07Z"}],"total":60,"count":1,"truncated":true}`,
		Check: func(t *testing.T, res tool.Result) {
			if want := "showing the newest 1 of 60 results; set limit (at most 50)."; len(res.Notes) != 1 || res.Notes[0] != want {
				t.Errorf("notes %q, want %q", res.Notes, want)
			}
		},
	})
	for args, want := range map[string]int{
		`{}`:            10,
		`{"limit":7}`:   7,
		`{"limit":7.9}`: 7,
		`{"limit":0.5}`: 1,
		`{"limit":50}`:  50,
		`{"limit":51}`:  50,
		`{"limit":-3}`:  1,
		`{"limit":1e3}`: 50,
	} {
		l := w.list(args)
		if l.Count != want || len(l.Results) != want || l.Total != 60 || !l.Truncated || l.Results[want-1].ID != ids[60-want] {
			t.Errorf("%s lists %d of %d", args, l.Count, l.Total)
		}
	}
	if err := w.call.Store.Transaction(t.Context(), func(s tool.Store) error {
		newest, err := summaries.Query(t.Context(), s, tool.Query{Limit: 1})
		if err != nil {
			return err
		}
		return summaries.Delete(t.Context(), s, newest.List[0])
	}); err != nil {
		t.Fatal(err)
	}
	if l := w.list(`{}`); l.Total != 59 || l.Results[0].ID != ids[58] {
		t.Errorf("after one was forgotten: %d, %s", l.Total, l.Results[0].ID)
	}
	w.play("list_task_results", tooltest.Case{
		Name:    "text",
		Args:    `{"limit":"` + strconv.Itoa(5) + `"}`,
		Fails:   tool.ValidationError,
		Message: "limit",
	})
}
