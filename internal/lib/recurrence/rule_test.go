package recurrence

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"FREQ=DAILY": "FREQ=DAILY", " rrule:freq=weekly;byday=mo,we ": "FREQ=WEEKLY;BYDAY=MO,WE",
		"RRULE:FREQ=MONTHLY;BYDAY=-1FR;":     "FREQ=MONTHLY;BYDAY=-1FR",
		"FREQ=YEARLY;UNTIL=20301231T235959Z": "FREQ=YEARLY;UNTIL=20301231T235959Z", "COUNT=3;FREQ=DAILY": "COUNT=3;FREQ=DAILY",
	} {
		r, err := Parse(text)
		if err != nil || r.String() != want || r.IsZero() {
			t.Errorf("%q = %q, %v, want %q", text, r, err, want)
		}
	}
	for _, text := range []string{
		"", "daily", "every monday", "FREQ=", "FREQ=SOMETIMES", "BYDAY=MO", "FREQ=DAILY;COUNT=0", "FREQ=DAILY;COUNT=-1",
		"FREQ=DAILY;COUNT=1000000", "FREQ=DAILY;COUNT=99999999999999999999",
		"FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=-1", "FREQ=DAILY;INTERVAL=1001", "FREQ=DAILY;COUNT=1;UNTIL=20301231",
		"FREQ=DAILY;FREQ=WEEKLY", "FREQ=DAILY;UNTIL=tomorrow", "FREQ=DAILY;UNTIL=2026-12-31", "FREQ=DAILY;UNTIL=20260230",
		"FREQ=SECONDLY", "FREQ=MINUTELY;COUNT=3", "FREQ=HOURLY;INTERVAL=24;BYHOUR=5", "FREQ=DAILY;BYHOUR=24",
		"FREQ=DAILY;BYHOUR=1,2,3,4,5;BYMINUTE=1,2,3,4,5", "FREQ=YEARLY;BYEASTER=0", "FREQ=DAILY;X=1", "FREQ=MONTHLY;BYMONTHDAY=32",
		"FREQ=MONTHLY;BYDAY=54MO", "FREQ=YEARLY;BYMONTH=12;BYDAY=9MO", "FREQ=YEARLY;BYMONTH=1;BYDAY=-6MO", "FREQ=MONTHLY;BYDAY=6FR",
		"FREQ=DAILY\nDTSTART:20260101T000000Z", "DTSTART=20260101;FREQ=DAILY", "FREQ=DAILY;COUNT=1\r\nATTENDEE:x", "FREQ=DAILY;;COUNT=1",
		"FREQ=DAILY;COUNT='1", "FREQ=DAILY\x00", "FREQ=WEEKLY;BYDAY=" + strings.Repeat("MO,", 500) + "MO", "יומי", "🗓️",
	} {
		r, err := Parse(text)
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.Contains(e.Msg, "FREQ=WEEKLY") || len(e.Msg) > 400 {
			t.Errorf("%.60q = %q, %v, want a validation_error with an example", text, r, err)
		}
	}
}

func TestRule(t *testing.T) {
	for text, want := range map[string][2]bool{
		"FREQ=DAILY":                {false, true},
		"FREQ=DAILY;BYHOUR=9":       {true, true},
		"FREQ=DAILY;COUNT=2":        {false, false},
		"FREQ=DAILY;UNTIL=20301231": {false, false},
	} {
		if r := parsed(t, text); r.Timed() != want[0] || r.Endless() != want[1] {
			t.Errorf("%s: timed %v, endless %v, want %v", text, r.Timed(), r.Endless(), want)
		}
	}
	if !(Rule{}).IsZero() {
		t.Error("the zero value is a rule")
	}
}

// FuzzParse expands what it parses: nothing hangs, and events come in order.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,WE;INTERVAL=2;WKST=SU",
		"FREQ=MONTHLY;BYDAY=-1FR;COUNT=9", "FREQ=YEARLY;BYWEEKNO=53;UNTIL=20991231T000000Z", "FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO,TU;BYHOUR=1,2",
		"FREQ=YEARLY;BYMONTH=12,1;BYDAY=5MO,-5SU", "FREQ=YEARLY;BYDAY=53MO,-53SU", "FREQ=YEARLY;BYWEEKNO=1,-53,53;BYYEARDAY=-366,366;WKST=TH",
	} {
		f.Add(seed)
	}
	first := time.Date(2024, 2, 29, 1, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil || r.Check(first) != nil {
			return
		}
		from := first.AddDate(3, 0, 0)
		starts, more := r.Starts(first, from, from.AddDate(5, 0, 0), 50)
		if len(starts) > 50 || more && len(starts) < 50 {
			t.Fatalf("%s: %d events, more: %v", r, len(starts), more)
		}
		for i, at := range starts {
			if at.Before(from) || i > 0 && !at.After(starts[i-1]) {
				t.Fatalf("%s: event %d is at %s", r, i, at)
			}
		}
		if again, err := Parse(r.String()); err != nil || again.String() != r.String() {
			t.Fatalf("%s parses as %s, %v", r, again, err)
		}
	})
}
