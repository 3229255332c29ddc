package calendar

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteCalendarEvent(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"title":"Yoga","startTime":"2026-11-24T18:00Z","recurrence":"FREQ=WEEKLY;COUNT=3"}`)
	single := add(t, call, `{"title":"Dentist","startTime":"2026-11-25T08:00Z"}`)
	other := call
	other.User = "bob"
	tooltest.Run(t, Set, "delete_calendar_event", other, []tooltest.Case{
		{Name: "another person's", Args: `{"eventId":"` + id + `"}`, Fails: tool.NotFound, Message: "Event not found: " + id},
	})
	got := play[deleteResult](t, call, "delete_calendar_event", `{"eventId":"`+id+`"}`)
	if got.Message != `Event deleted: "Yoga", with all events of its series.` || got.Deleted.ID != id ||
		got.Deleted.StartTime != "2026-11-24T18:00:00Z" || got.Deleted.Recurrence != "FREQ=WEEKLY;COUNT=3" {
		t.Errorf("result %+v", got)
	}
	if left := play[listResult](t, call, "list_calendar_events", `{}`); left.Total != 1 || left.Events[0].Title != "Dentist" {
		t.Errorf("left: %+v", left)
	}
	if got := play[deleteResult](t, call, "delete_calendar_event", `{"eventId":"`+single+`"}`); got.Message != `Event deleted: "Dentist".` {
		t.Errorf("result %+v", got)
	}
	tooltest.Run(t, Set, "delete_calendar_event", call, []tooltest.Case{
		{Name: "again", Args: `{"eventId":"` + id + `"}`, Fails: tool.NotFound, Message: "list_calendar_events"},
		{Name: "hostile id", Args: `{"eventId":"' OR 1=1 --"}`, Fails: tool.NotFound},
		{Name: "no id", Args: `{}`, Fails: tool.ValidationError, Message: "eventId"},
	})
}
