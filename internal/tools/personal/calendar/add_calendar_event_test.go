package calendar

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAddCalendarEvent(t *testing.T) {
	call := ann(t)
	first := play[one](t, call, "add_calendar_event",
		`{"title":"Meeting","startTime":"2026-11-24T09:30","endTime":"2026-11-24T10:30","timezone":"Europe/Berlin","location":"Room 2","description":"why","category":"work","reminder":15,"recurrence":"rrule:freq=weekly"}`)
	want := one{Message: `Event added: "Meeting", 2026-11-24T09:30:00+01:00.`, Conflicts: []conflict{}, Event: view{
		Title: "Meeting", StartTime: "2026-11-24T09:30:00+01:00", EndTime: "2026-11-24T10:30:00+01:00", Timezone: "Europe/Berlin",
		Location: "Room 2", Description: "why", Category: "work", ReminderMinutes: ptr(15), Recurrence: "FREQ=WEEKLY",
	}}
	if diff := cmp.Diff(want, first, cmpopts.IgnoreFields(view{}, "ID", "CreatedAt", "UpdatedAt")); diff != "" || first.Event.ID == "" ||
		first.Event.CreatedAt == "" {
		t.Errorf("result %+v (-want +got):\n%s", first, diff)
	}
	got := play[one](t, call, "add_calendar_event", `{"title":"Lunch","startTime":"2026-12-01T09:00"}`)
	if got.Event.Timezone != "UTC" || got.Event.StartTime != "2026-12-01T09:00:00Z" {
		t.Errorf("without a zone: %+v", got)
	}
	if diff := cmp.Diff([]conflict{{first.Event.ID, "Meeting"}}, got.Conflicts); diff != "" ||
		got.Message != `Event added: "Lunch", 2026-12-01T09:00:00Z; it overlaps 1 other event(s).` {
		t.Errorf("%q, conflicts (-want +got):\n%s", got.Message, diff)
	}
	if got := play[one](t, call, "add_calendar_event",
		`{"title":"x","startTime":"2027-01-01T09:00+05:30","reminder":0}`).Event; got.Timezone != "+05:30" ||
		got.StartTime != "2027-01-01T09:00:00+05:30" || *got.ReminderMinutes != 0 {
		t.Errorf("with an offset: %+v", got)
	}
	tooltest.Run(t, Set, "add_calendar_event", call, []tooltest.Case{
		{Name: "no zone is noted", Args: `{"title":"y","startTime":"2028-01-01"}`, Check: noted(noZone)},
		{Name: "a zone is not", Args: `{"title":"y","startTime":"2028-01-01","timezone":"UTC"}`, Check: noted()},
		{Name: "no title", Args: `{"startTime":"2026-11-24"}`, Fails: tool.ValidationError, Message: "title"},
		{Name: "no start", Args: `{"title":"x"}`, Fails: tool.ValidationError, Message: "startTime"},
		{Name: "a word for a date", Args: `{"title":"x","startTime":"tomorrow at 9"}`, Fails: tool.ValidationError, Message: "YYYY-MM-DD"},
		{Name: "a number for a date", Args: `{"title":"x","startTime":1764000000}`, Fails: tool.ValidationError, Message: "startTime"},
		{Name: "year 0", Args: `{"title":"x","startTime":"0000-02-29"}`, Fails: tool.ValidationError, Message: "startTime"},
		{Name: "leap second", Args: `{"title":"x","startTime":"2016-12-31T23:59:60Z"}`, Fails: tool.ValidationError, Message: "startTime"},
		{
			Name: "end before start", Args: `{"title":"x","startTime":"2026-11-24","endTime":"2026-11-23"}`, Fails: tool.ValidationError,
			Message: "endTime",
		},
		{
			Name: "zone", Args: `{"title":"x","startTime":"2026-11-24T09:00","timezone":"../../etc/passwd"}`, Fails: tool.ValidationError,
			Message: "timezone",
		},
		{
			Name: "millions of events", Args: `{"title":"x","startTime":"2026-11-24T09:00Z","recurrence":"FREQ=SECONDLY"}`,
			Fails: tool.ValidationError, Message: "daily at most",
		},
		{
			Name: "negative reminder", Args: `{"title":"x","startTime":"2026-11-24","reminder":-5}`, Fails: tool.ValidationError,
			Message: "reminder",
		},
		{
			Name: "huge reminder", Args: `{"title":"x","startTime":"2026-11-24","reminder":1e300}`, Fails: tool.ValidationError, Message: "reminder",
		},
		{
			Name: "long title", Args: `{"title":"` + strings.Repeat("x", 950_000) + `","startTime":"2026-11-24"}`, Fails: tool.ValidationError,
			Message: "title has 950000 bytes",
		},
		{Name: "NUL", Args: `{"title":"a\u0000b","startTime":"2026-11-24"}`, Fails: tool.ValidationError, Message: "NUL"},
		{Name: "emoji and right-to-left", Args: `{"title":"🗓️ פגישה'; --","startTime":"2026-11-24"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), "🗓️ פגישה'; --") {
				t.Errorf("result %s", res.Value)
			}
		}},
	})
}
