package calendar

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestConflicts(t *testing.T) {
	call := ann(t)
	for _, in := range []string{
		`{"title":"meeting","startTime":"2026-11-24T09:00Z","endTime":"2026-11-24T10:00Z"}`,
		`{"title":"daily","startTime":"2026-11-01T12:00","endTime":"2026-11-01T12:15","timezone":"Europe/Berlin","recurrence":"FREQ=DAILY"}`,
		`{"title":"trip","startTime":"2026-12-24","endTime":"2026-12-26","timezone":"Europe/Berlin"}`,
		`{"title":"moment","startTime":"2026-11-30T15:00Z"}`,
	} {
		add(t, call, in)
	}
	for _, tt := range []struct {
		name string
		in   Input
		want string
	}{
		{"inside", Input{StartTime: "2026-11-24T09:15Z", EndTime: "2026-11-24T09:30Z"}, "meeting"},
		{"around", Input{StartTime: "2026-11-24T08:00Z", EndTime: "2026-11-24T12:00Z"}, "daily, meeting"},
		{"touches the end", Input{StartTime: "2026-11-24T10:00Z", EndTime: "2026-11-24T11:00Z"}, ""},
		{"touches the start", Input{StartTime: "2026-11-24T08:00Z", EndTime: "2026-11-24T09:00Z"}, ""},
		{"in another zone", Input{StartTime: "2026-11-24T04:30", EndTime: "2026-11-24T05:30", Timezone: "America/New_York"}, "meeting"},
		{"without an end", Input{StartTime: "2026-11-24T09:30Z"}, "meeting"},
		{"two moments", Input{StartTime: "2026-11-30T15:00Z"}, "moment"},
		{"of a series in summer", Input{StartTime: "2027-07-01T10:05Z", EndTime: "2027-07-01T10:10Z"}, "daily"},
		{"the hour of winter, in summer", Input{StartTime: "2027-07-01T11:05Z", EndTime: "2027-07-01T11:10Z"}, ""},
		{"the last day of days", Input{StartTime: "2026-12-26T22:00Z", EndTime: "2026-12-27T03:00Z"}, "trip"},
		{"after the last day", Input{StartTime: "2026-12-26T23:00Z", EndTime: "2026-12-27T03:00Z"}, ""},
		{"a series with an event", Input{StartTime: "2026-11-10T09:30Z", EndTime: "2026-11-10T09:45Z", Recurrence: "FREQ=WEEKLY"}, "meeting"},
		{"a series with a series", Input{StartTime: "2026-11-10T10:30Z", EndTime: "2026-11-10T11:30Z", Recurrence: "FREQ=WEEKLY"}, "daily"},
		{"a series beside a series", Input{StartTime: "2026-11-02T05:00Z", EndTime: "2026-11-02T05:30Z", Recurrence: "FREQ=DAILY"}, "trip"},
		{"long ago", Input{StartTime: "0001-01-02T09:00Z", EndTime: "0001-01-02T10:00Z"}, ""},
		{"at the end of time", Input{StartTime: "9999-12-31", EndTime: "9999-12-31"}, "daily"},
		{"all of time", Input{StartTime: "0001-01-01", EndTime: "9999-12-31"}, "daily, meeting, moment, trip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Title = "new"
			v, _, err := tt.in.Event()
			if err != nil {
				t.Fatal(err)
			}
			found, err := conflictsOf(t.Context(), forAnn(call), &v, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := titles(found); got != tt.want {
				t.Errorf("overlaps %q, want %q", got, tt.want)
			}
		})
	}
	bob := call
	bob.User = "bob"
	if got := play[one](t, bob, "add_calendar_event", `{"title":"x","startTime":"2026-11-24T09:00Z"}`); len(got.Conflicts) > 0 {
		t.Errorf("bob's event overlaps %+v of ann's", got.Conflicts)
	}
}

// Of many events the first are named, and the call does not take long.
func TestManyConflicts(t *testing.T) {
	v, _, err := Input{Title: "x", StartTime: "2026-01-01", Recurrence: "FREQ=DAILY"}.Event()
	if err != nil {
		t.Fatal(err)
	}
	others := make([]tool.Record[Event], 300)
	for i := range others {
		others[i] = tool.Record[Event]{Value: v}
	}
	found, err := conflictsOf(t.Context(), forAnn(ann(t)), &v, others)
	if err != nil || len(found) != maxConflicts {
		t.Errorf("%d conflicts, %v, want %d", len(found), err, maxConflicts)
	}
}

// titles returns the titles in their order.
func titles(found []conflict) string {
	var all []string
	for _, c := range found {
		all = append(all, c.Title)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
