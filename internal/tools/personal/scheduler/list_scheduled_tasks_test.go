package scheduler

import (
	"fmt"
	"strings"
	"testing"
)

func TestListScheduledTasks(t *testing.T) {
	call := ann(t)
	first := hourly(t, call, "")
	off := hourly(t, call, `,"enabled":false`)
	prompt := play[one](t, call, "create_scheduled_task", `{"name":"x","schedule":"@daily","prompt":"hi"}`).Task.ID
	for args, want := range map[string]string{
		`{}`:                       fmt.Sprint([]string{prompt, first}, 2, false),
		`{"includeDisabled":true}`: fmt.Sprint([]string{prompt, off, first}, 3, false),
		`{"type":"tool"}`:          fmt.Sprint([]string{first}, 1, false),
		`{"type":"prompt","includeDisabled":true}`:           fmt.Sprint([]string{prompt}, 1, false),
		`{"includeDisabled":true,"limit":1}`:                 fmt.Sprint([]string{prompt}, 3, true),
		`{"includeDisabled":true,"limit":1,"offset":1}`:      fmt.Sprint([]string{off}, 3, true),
		`{"includeDisabled":true,"limit":9,"offset":2}`:      fmt.Sprint([]string{first}, 3, false),
		`{"includeDisabled":true,"limit":9,"offset":100000}`: fmt.Sprint([]string{}, 3, false),
	} {
		got := play[listResult](t, call, "list_scheduled_tasks", limited(args))
		ids := []string{}
		for _, one := range got.Tasks {
			ids = append(ids, one.ID)
		}
		if have := fmt.Sprint(ids, got.Total, got.Truncated); have != want || got.Count != len(ids) {
			t.Errorf("%s = %s, want %s", args, have, want)
		}
	}
	call.User = "bob"
	if got := play[listResult](t, call, "list_scheduled_tasks", limited(`{}`)); got.Total != 0 {
		t.Errorf("bob sees %+v", got)
	}
}

// limited returns arguments with the default limit, which the engine fills in.
func limited(args string) string {
	switch {
	case args == `{}`:
		return `{"limit":50}`
	case strings.Contains(args, `"limit"`):
		return args
	}
	return `{"limit":50,` + args[1:]
}
