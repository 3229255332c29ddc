package calendar

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBatchAddCalendarEvents(t *testing.T) {
	call := ann(t)
	got := play[batchResult](t, call, "batch_add_calendar_events",
		`{"events":[{"title":"one","startTime":"2026-11-24T09:00","endTime":"2026-11-24T10:00"},{"title":"two","startTime":"2026-11-24T09:30Z"}]}`)
	if got.Message != "Added 2 event(s)." || got.Count != 2 || got.Results != nil {
		t.Errorf("result %+v", got)
	}
	if diff := cmp.Diff([]conflict{{got.Events[0].ID, "one"}}, got.Events[1].Conflicts); diff != "" || got.Events[0].Conflicts != nil {
		t.Errorf("conflicts within the batch (-want +got):\n%s", diff)
	}
	const bad = `[{"title":"three","startTime":"2026-11-25T09:00Z"},{"title":" ","startTime":"2026-11-25"},{"title":"x"},{"title":"x","startTime":"soon"},7,{"title":"a\u0000b","startTime":"2026-11-25"}]`
	good := strings.Repeat(`{"title":"x","startTime":"2027-01-01"},`, 99)
	tooltest.Run(t, Set, "batch_add_calendar_events", call, []tooltest.Case{
		{
			Name:  "no zone is noted once",
			Args:  `{"events":[{"title":"y","startTime":"2028-01-01"},{"title":"y","startTime":"2028-01-02"}]}`,
			Check: noted(noZone),
		},
		{
			Name:    "all or none",
			Args:    `{"events":` + bad + `}`,
			Fails:   tool.ValidationError,
			Message: "item 1 (counted from 0): title is missing or blank; nothing was created",
		},
		{
			Name:    "the last of 100",
			Args:    `{"events":[` + good + `{"title":"x","startTime":"2027-02-29"}]}`,
			Fails:   tool.ValidationError,
			Message: "item 99 (counted from 0): startTime",
		},
		{Name: "empty", Args: `{"events":[]}`, Fails: tool.ValidationError, Message: "1 to 100"},
		{Name: "too many", Args: `{"events":[` + good + good[:len(good)-1] + `]}`, Fails: tool.ValidationError, Message: "not 198"},
		{Name: "no list", Args: `{"events":"x"}`, Fails: tool.ValidationError, Message: "events"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "events"},
	})
	if got := play[listResult](t, call, "list_calendar_events", `{}`).Total; got != 4 {
		t.Fatalf("%d events are stored, want 4", got)
	}
	each := play[batchResult](t, call, "batch_add_calendar_events", `{"atomic":false,"events":`+bad+`}`)
	var statuses []string
	for _, o := range each.Results {
		statuses = append(statuses, o.Status+" "+o.ErrorType)
	}
	failed := "error validation_error"
	if diff := cmp.Diff([]string{"success ", failed, failed, failed, failed, failed}, statuses); diff != "" || each.Count != 1 ||
		each.Events[0].Title != "three" || each.Message != "Added 1 of 6 event(s); results has the outcome of each." {
		t.Errorf("each by itself: %+v (-want +got):\n%s", each, diff)
	}
}
