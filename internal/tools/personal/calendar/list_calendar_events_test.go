package calendar

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// listed returns titles and starts of a list, and its counts.
func listed(got listResult) string {
	var all []string
	for _, e := range got.Events {
		all = append(all, e.Title+" "+e.StartTime)
	}
	return fmt.Sprintf("%s; %d of %d, %v", strings.Join(all, ", "), got.Count, got.Total, got.Truncated)
}

func TestListCalendarEvents(t *testing.T) {
	call := ann(t)
	add(t, call, `{"title":"Dentist","startTime":"2026-11-25T08:00+01:00","category":"health"}`)
	add(t, call, `{"title":"Café 100%_","startTime":"2026-11-23","endTime":"2026-11-24","timezone":"Europe/Berlin","description":"cheese"}`)
	add(t, call, `{"title":"Yoga","startTime":"2026-03-22T18:00","endTime":"2026-03-22T19:00","timezone":"Europe/Berlin","recurrence":"FREQ=WEEKLY;COUNT=3","category":"health"}`)
	for _, tt := range []struct{ args, want string }{
		{
			`{}`,
			"Yoga 2026-03-22T18:00:00+01:00, Yoga 2026-03-29T18:00:00+02:00, Yoga 2026-04-05T18:00:00+02:00, Café 100%_ 2026-11-23, " +
				"Dentist 2026-11-25T08:00:00+01:00; 5 of 5, false",
		},
		{`{"startAfter":"2026-03-29T16:00Z","startBefore":"2026-03-29T16:00Z"}`, "Yoga 2026-03-29T18:00:00+02:00; 1 of 1, false"},
		{`{"startAfter":"2026-11-23","startBefore":"2026-11-25"}`, "; 0 of 0, false"},
		{`{"startAfter":"2026-11-23","startBefore":"2026-11-25","timezone":"Europe/Berlin"}`, "Café 100%_ 2026-11-23; 1 of 1, false"},
		{`{"startAfter":"2026-11-25T07:00:00Z"}`, "Dentist 2026-11-25T08:00:00+01:00; 1 of 1, false"},
		{`{"startAfter":"2026-11-25T07:00:01Z"}`, "; 0 of 0, false"},
		{`{"startBefore":"2026-03-28"}`, "Yoga 2026-03-22T18:00:00+01:00; 1 of 1, false"},
		{`{"category":"health","limit":1,"offset":2}`, "Yoga 2026-04-05T18:00:00+02:00; 1 of 4, true"},
		{`{"limit":2,"offset":3}`, "Café 100%_ 2026-11-23, Dentist 2026-11-25T08:00:00+01:00; 2 of 5, false"},
		{`{"offset":99999999999}`, "; 0 of 5, false"},
		{`{"offset":-1,"limit":1}`, "Yoga 2026-03-22T18:00:00+01:00; 1 of 5, true"},
		{`{"search":"cafe"}`, "Café 100%_ 2026-11-23; 1 of 1, false"},
		{`{"search":"YOG","limit":1}`, "Yoga 2026-03-22T18:00:00+01:00; 1 of 3, true"},
		{`{"search":"cheese"}`, "; 0 of 0, false"},
		{`{"search":"%"}`, "; 0 of 0, false"},
		{`{"search":"\" OR 1=1"}`, "; 0 of 0, false"},
		{`{"category":"' OR '1'='1"}`, "; 0 of 0, false"},
	} {
		if got := listed(play[listResult](t, call, "list_calendar_events", tt.args)); got != tt.want {
			t.Errorf("%s lists %q, want %q", tt.args, got, tt.want)
		}
	}
	tooltest.Run(t, Set, "list_calendar_events", call, []tooltest.Case{
		{Name: "no zone is noted", Args: `{"startAfter":"2026-11-24","startBefore":"2026-11-25"}`, Check: noted(noZone)},
		{Name: "no bound", Args: `{}`, Check: noted()},
		{Name: "a word", Args: `{"startAfter":"today"}`, Fails: tool.ValidationError, Message: `startAfter: "today" is no date`},
		{Name: "no such day", Args: `{"startBefore":"2026-02-30"}`, Fails: tool.ValidationError, Message: "startBefore"},
		{
			Name:    "backwards",
			Args:    `{"startAfter":"2026-11-24","startBefore":"2026-11-23"}`,
			Fails:   tool.ValidationError,
			Message: "startBefore 2026-11-23 is before",
		},
		{Name: "zone", Args: `{"startAfter":"2026-11-24","timezone":"CEST+1"}`, Fails: tool.ValidationError, Message: "timezone"},
	})
	call.User = "bob"
	tooltest.Run(t, Set, "list_calendar_events", call, []tooltest.Case{
		{
			Name: "nothing of others",
			Args: `{"limit":5}`,
			Want: `{"message":"0 event(s) found.","events":[],"total":0,"count":0,"truncated":false}`,
		},
	})
}

func TestListEndlessSeries(t *testing.T) {
	call := ann(t)
	add(t, call, `{"title":"daily","startTime":"2020-01-01T09:00Z","recurrence":"FREQ=DAILY"}`)
	add(t, call, `{"title":"once","startTime":"2026-11-24T08:00Z"}`)
	got := play[listResult](t, call, "list_calendar_events", `{"startAfter":"2026-11-23","limit":3}`)
	if want := "daily 2026-11-23T09:00:00Z, once 2026-11-24T08:00:00Z, daily 2026-11-24T09:00:00Z; 3 of 101, true"; listed(got) != want {
		t.Errorf("listed %q, want %q", listed(got), want)
	}
	if !strings.Contains(got.Message, "startBefore") {
		t.Errorf("message %q, want what to do about a series without end", got.Message)
	}
	got = play[listResult](t, call, "list_calendar_events", `{"startAfter":"9999-12-30T00:00Z","startBefore":"9999-12-31T23:00Z"}`)
	if want := "daily 9999-12-30T09:00:00Z, daily 9999-12-31T09:00:00Z; 2 of 2, false"; listed(got) != want {
		t.Errorf("listed %q, want %q", listed(got), want)
	}
	got = play[listResult](t, call, "list_calendar_events", `{"startAfter":"2020-01-01","startBefore":"2500-01-01","limit":1}`)
	if want := "daily 2020-01-01T09:00:00Z; 1 of 1001, true"; listed(got) != want {
		t.Errorf("listed %q, want %q", listed(got), want)
	}
}
