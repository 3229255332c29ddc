package calendar

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// starts returns the starts of the events that are listed.
func starts(t *testing.T, call tool.Call, args string) (list []string) {
	t.Helper()
	for _, e := range play[listResult](t, call, "list_calendar_events", args).Events {
		list = append(list, e.StartTime)
	}
	return list
}

// TestExceptions: a series has no event at an excluded date, and one at each additional date,
// before and after clocks change; conflicts follow.
func TestExceptions(t *testing.T) {
	call := ann(t)
	got := play[one](t, call, "add_calendar_event",
		`{"title":"Choir","startTime":"2026-03-22T19:00","endTime":"2026-03-22T21:00","timezone":"Europe/Berlin","recurrence":"FREQ=WEEKLY;COUNT=4","excludedDates":["2026-03-29T19:00"],"additionalDates":["2026-10-25","2026-05-01T18:00"]}`).Event
	if diff := cmp.Diff([]string{"2026-03-29T19:00:00+02:00"}, got.ExcludedDates); diff != "" {
		t.Errorf("excluded (-want +got):\n%s", diff)
	}
	want := []string{
		"2026-03-22T19:00:00+01:00", "2026-04-05T19:00:00+02:00", "2026-04-12T19:00:00+02:00", "2026-05-01T18:00:00+02:00",
		"2026-10-25T19:00:00+01:00",
	}
	if diff := cmp.Diff(want, starts(t, call, `{}`)); diff != "" {
		t.Errorf("starts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[4:], starts(t, call, `{"startAfter":"2026-09-01"}`)); diff != "" {
		t.Errorf("after the end of the rule (-want +got):\n%s", diff)
	}
	for at, conflicts := range map[string]int{"2026-03-29T20:00+02:00": 0, "2026-04-05T20:00+02:00": 1, "2026-10-25T20:00+01:00": 1} {
		if got := play[one](t, call, "add_calendar_event", `{"title":"x","startTime":"`+at+`"}`).Conflicts; len(got) != conflicts {
			t.Errorf("%s: conflicts %v, want %d", at, got, conflicts)
		}
	}
	add(t, call, `{"title":"days","startTime":"2027-01-01","recurrence":"FREQ=DAILY;COUNT=3","excludedDates":["2027-01-02"],"additionalDates":["2027-01-09"]}`)
	if diff := cmp.Diff([]string{"2027-01-01", "2027-01-03", "2027-01-09"}, starts(t, call, `{"startAfter":"2027-01-01"}`)); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
	const series = `{"title":"x","startTime":"2026-03-22T19:00Z","recurrence":"FREQ=WEEKLY;COUNT=2",`
	tooltest.Run(t, Set, "add_calendar_event", call, []tooltest.Case{
		{
			Name: "no event at the date", Args: series + `"excludedDates":["2026-03-23T19:00Z"]}`, Fails: tool.ValidationError,
			Message: "no event of the series begins at 2026-03-23T19:00:00Z",
		},
		{
			Name: "no event on the day", Args: series + `"excludedDates":["2026-03-23"]}`, Fails: tool.ValidationError,
			Message: "no event of the series begins at 2026-03-23;",
		},
		{
			Name: "all excluded", Args: series + `"excludedDates":["2026-03-22","2026-03-29"]}`, Fails: tool.ValidationError,
			Message: "no event of the series is left",
		},
		{Name: "no date", Args: series + `"excludedDates":["next week"]}`, Fails: tool.ValidationError, Message: "excludedDates"},
		{
			Name: "not a series", Args: `{"title":"x","startTime":"2026-03-22","excludedDates":["2026-03-22"]}`, Fails: tool.ValidationError,
			Message: "not a series",
		},
		{Name: "before the start", Args: series + `"additionalDates":["2026-03-21"]}`, Fails: tool.ValidationError, Message: "before startTime"},
		{Name: "year 0", Args: series + `"additionalDates":["0000-01-01"]}`, Fails: tool.ValidationError, Message: "additionalDates"},
		{
			Name: "too many", Args: series + `"additionalDates":[` + strings.Repeat(`"2026-04-01",`, 500) + `"2026-04-01"]}`,
			Fails: tool.ValidationError, Message: "500",
		},
	})
}

// TestDeleteOfSeries: one event of a series is deleted, and the series with its last event.
func TestDeleteOfSeries(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"title":"Yoga","startTime":"2026-10-18T18:00","timezone":"Europe/Berlin","recurrence":"FREQ=WEEKLY;COUNT=3"}`)
	got := play[deleteResult](t, call, "delete_calendar_event", `{"eventId":"`+id+`","startTime":"2026-10-25T18:00:00+01:00"}`)
	if got.Message != `Event deleted: "Yoga", of 2026-10-25T18:00:00+01:00; the series has others.` ||
		got.Deleted.StartTime != "2026-10-25T18:00:00+01:00" {
		t.Errorf("result %+v", got)
	}
	if diff := cmp.Diff([]string{"2026-10-18T18:00:00+02:00", "2026-11-01T18:00:00+01:00"}, starts(t, call, `{}`)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	tooltest.Run(t, Set, "delete_calendar_event", call, []tooltest.Case{
		{
			Name:    "again",
			Args:    `{"eventId":"` + id + `","startTime":"2026-10-25"}`,
			Fails:   tool.NotFound,
			Message: "list_calendar_events shows the starts",
		},
		{Name: "no time", Args: `{"eventId":"` + id + `","startTime":"soon"}`, Fails: tool.ValidationError, Message: "startTime"},
	})
	play[deleteResult](t, call, "delete_calendar_event", `{"eventId":"`+id+`","startTime":"2026-10-18"}`)
	if got := play[deleteResult](t, call, "delete_calendar_event",
		`{"eventId":"`+id+`","startTime":"2026-11-01"}`); got.Message != `Event deleted: "Yoga".` {
		t.Errorf("the last one: %+v", got)
	}
	if left := starts(t, call, `{}`); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
