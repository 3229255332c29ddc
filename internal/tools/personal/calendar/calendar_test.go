package calendar

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// ann returns a call of ann's, over an empty store.
func ann(t *testing.T) tool.Call {
	t.Helper()
	return tool.Call{User: "ann", Store: tooltest.NewStore(t)}
}

// play makes a call that must succeed, and decodes its result.
func play[T any](t *testing.T, call tool.Call, name, args string) T {
	t.Helper()
	var out T
	for _, tl := range Set.Tools() {
		if tl.Name != name {
			continue
		}
		res, err := tooltest.Play(t.Context(), tl, call, args)
		if err != nil {
			t.Fatalf("%s(%.200s): %v", name, args, err)
		}
		if err := json.Unmarshal(res.Value, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Fatalf("there is no tool %s", name)
	return out
}

// add adds an event and returns its id.
func add(t *testing.T, call tool.Call, args string) string {
	t.Helper()
	return play[one](t, call, "add_calendar_event", args).Event.ID
}

func TestDurations(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   Input
		at   string // of an event of the series, in its zone; "" for the first
		want string
	}{
		{"no end", Input{StartTime: "2026-01-01T09:00Z"}, "", "2026-01-01T09:00:00Z"},
		{"an hour", Input{StartTime: "2026-01-01T09:00Z", EndTime: "2026-01-01T10:00Z"}, "", "2026-01-01T10:00:00Z"},
		{"end in another zone", Input{StartTime: "2026-01-01T09:00+01:00", EndTime: "2026-01-01T10:00Z"}, "", "2026-01-01T11:00:00+01:00"},
		{"whole day", Input{StartTime: "2026-01-01"}, "", "2026-01-02T00:00:00Z"},
		{"whole days", Input{StartTime: "2026-01-01", EndTime: "2026-01-03"}, "", "2026-01-04T00:00:00Z"},
		{"the day that clocks change", Input{StartTime: "2026-03-29", Timezone: "Europe/Berlin"}, "", "2026-03-30T00:00:00+02:00"},
		{
			"over the change", Input{StartTime: "2026-03-28T23:00", EndTime: "2026-03-29T04:00", Timezone: "Europe/Berlin"}, "",
			"2026-03-29T04:00:00+02:00",
		},
		{
			"of a series after the change",
			Input{StartTime: "2026-03-01T09:00", EndTime: "2026-03-01T10:30", Timezone: "Europe/Berlin", Recurrence: "FREQ=WEEKLY"},
			"2026-04-05T09:00", "2026-04-05T10:30:00+02:00",
		},
		{"a century", Input{StartTime: "0001-01-01", EndTime: "9999-12-30"}, "", "9999-12-31T00:00:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Title = "x"
			v, _, err := tt.in.Event()
			if err != nil {
				t.Fatal(err)
			}
			at := v.start()
			if tt.at != "" {
				if at, err = time.ParseInLocation("2006-01-02T15:04", tt.at, v.zone()); err != nil {
					t.Fatal(err)
				}
			}
			if got := v.endOf(at).Format(time.RFC3339); got != tt.want {
				t.Errorf("ends at %s, want %s", got, tt.want)
			}
		})
	}
}

// forAnn returns the store of ann's calls.
func forAnn(call tool.Call) tool.Store {
	return call.Store.(*tooltest.Store).For("default", "ann")
}

// noted returns a check of the notes beside a result.
func noted(want ...string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		if !slices.Equal(res.Notes, want) {
			t.Errorf("notes %q, want %q", res.Notes, want)
		}
	}
}
