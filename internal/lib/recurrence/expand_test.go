package recurrence

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

// moment reads a date; without a zone it is in UTC.
func moment(t *testing.T, text string) time.Time {
	t.Helper()
	m, err := dates.ReadMoment(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m.Time
}

func parsed(t *testing.T, text string) Rule {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStarts(t *testing.T) {
	for _, tt := range []struct {
		name, rule, first, from, to, want string
		limit                             int
		more                              bool
	}{
		{"daily", "FREQ=DAILY", "2026-01-01T09:00Z", "2026-01-01", "2026-01-03T09:00Z", "01-01T09:00Z 01-02T09:00Z 01-03T09:00Z", 10, false},
		{"limit", "FREQ=DAILY", "2026-01-01T09:00Z", "2026-01-01", "2026-01-09", "01-01T09:00Z 01-02T09:00Z", 2, true},
		{
			"limit reached at the end", "FREQ=DAILY;COUNT=2", "2026-01-01T09:00Z", "2026-01-01", "2026-01-09", "01-01T09:00Z 01-02T09:00Z", 2, false,
		},
		{"window", "FREQ=DAILY", "2026-01-01T09:00Z", "2026-01-03", "2026-01-04", "01-03T09:00Z", 10, false},
		{"count before the window", "FREQ=DAILY;COUNT=3", "2026-01-01T09:00Z", "2026-01-03", "2026-02-01", "01-03T09:00Z", 10, false},
		{"until a day", "FREQ=DAILY;UNTIL=20260102", "2026-01-01T09:00Z", "2026-01-01", "2026-02-01", "01-01T09:00Z 01-02T09:00Z", 10, false},
		{
			"until in UTC", "FREQ=DAILY;UNTIL=20260102T080000Z", "2026-01-01T09:00[Europe/Berlin]", "2026-01-01", "2026-02-01",
			"01-01T09:00+01:00 01-02T09:00+01:00", 10, false,
		},
		{
			"until of the zone", "FREQ=DAILY;UNTIL=20260102T080000", "2026-01-01T09:00[Europe/Berlin]", "2026-01-01", "2026-02-01",
			"01-01T09:00+01:00", 10, false,
		},
		{
			"weekdays", "FREQ=WEEKLY;BYDAY=MO,WE", "2026-01-05T09:00Z", "2026-01-05", "2026-01-13",
			"01-05T09:00Z 01-07T09:00Z 01-12T09:00Z", 10, false,
		},
		{"every second week", "FREQ=WEEKLY;INTERVAL=2", "2026-01-05T09:00Z", "2026-01-30", "2026-02-20", "02-02T09:00Z 02-16T09:00Z", 10, false},
		{
			"every second week, years later", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU", "2020-12-29T09:00Z", "2026-01-01", "2026-01-15",
			"01-06T09:00Z 01-11T09:00Z", 10, false,
		},
		{
			"first event off the rule", "FREQ=WEEKLY;BYDAY=MO;COUNT=3", "2026-01-06T09:00Z", "2026-01-01", "2026-03-01",
			"01-06T09:00Z 01-12T09:00Z 01-19T09:00Z", 10, false,
		},
		{"the 31st", "FREQ=MONTHLY", "2026-01-31T09:00Z", "2026-01-01", "2026-06-01", "01-31T09:00Z 03-31T09:00Z 05-31T09:00Z", 10, false},
		{
			"the 31st, later", "FREQ=MONTHLY;INTERVAL=5", "2020-01-31T09:00Z", "2024-01-01", "2025-03-01",
			"03-31T09:00Z 08-31T09:00Z 01-31T09:00Z", 10, false,
		},
		{"last Friday", "FREQ=MONTHLY;BYDAY=-1FR", "2020-01-31T09:00Z", "2026-01-01", "2026-03-01", "01-30T09:00Z 02-27T09:00Z", 10, false},
		{
			"last working day", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2020-01-31T09:00Z", "2026-01-01", "2026-03-01",
			"01-30T09:00Z 02-27T09:00Z", 10, false,
		},
		{
			"second of the week", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2", "2020-01-08T09:00Z", "2026-01-01", "2026-01-16",
			"01-07T09:00Z 01-14T09:00Z", 10, false,
		},
		{"29 February", "FREQ=YEARLY", "2024-02-29T09:00Z", "2025-01-01", "2033-01-01", "02-29T09:00Z 02-29T09:00Z", 10, false},
		{"29 February from year 4", "FREQ=YEARLY", "0004-02-29T09:00Z", "2025-01-01", "2029-01-01", "02-29T09:00Z", 10, false},
		{"week 1", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO", "2020-12-30T09:00Z", "2024-12-01", "2026-01-01", "12-30T09:00Z 12-29T09:00Z", 10, false},
		{"twice a day", "FREQ=DAILY;BYHOUR=9,17", "2026-01-01T09:00Z", "2026-01-02", "2026-01-03", "01-02T09:00Z 01-02T17:00Z", 10, false},
		{
			"summer time keeps the hour", "FREQ=DAILY", "2026-03-28T09:00[Europe/Berlin]", "2026-03-28", "2026-03-30",
			"03-28T09:00+01:00 03-29T09:00+02:00", 10, false,
		},
		{
			"a skipped hour", "FREQ=DAILY", "2026-03-28T02:30[Europe/Berlin]", "2026-03-28", "2026-03-30T12:00Z",
			"03-28T02:30+01:00 03-29T03:30+02:00 03-30T02:30+02:00", 10, false,
		},
		{
			"a skipped hour and the next", "FREQ=DAILY;BYHOUR=2,3", "2026-03-29T02:30[Europe/Berlin]", "2026-03-29", "2026-03-30",
			"03-29T03:30+02:00", 10, false,
		},
		{"a repeated hour", "FREQ=DAILY", "2026-10-24T02:30[Europe/Berlin]", "2026-10-25", "2026-10-26", "10-25T02:30+02:00", 10, false},
		{
			"from a year before the end", "FREQ=DAILY", "0001-01-02T09:00Z", "9999-12-30", "9999-12-31T23:00Z",
			"12-30T09:00Z 12-31T09:00Z", 10, false,
		},
		{"nothing", "FREQ=DAILY;COUNT=2", "2026-01-01T09:00Z", "2026-02-01", "2026-03-01", "", 10, false},
		{"window before", "FREQ=DAILY", "2026-01-01T09:00Z", "2025-01-01", "2025-03-01", "", 10, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			starts, more := parsed(t, tt.rule).Starts(moment(t, tt.first), moment(t, tt.from), moment(t, tt.to), tt.limit)
			var got []string
			for _, at := range starts {
				got = append(got, at.Format("01-02T15:04Z07:00"))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" || more != tt.more {
				t.Errorf("more: %v (-want +got):\n%s", more, diff)
			}
		})
	}
}

// A window of a long series has the events that the whole series has there.
func TestNear(t *testing.T) {
	for _, rule := range []string{
		"FREQ=DAILY;INTERVAL=3", "FREQ=DAILY;BYMONTH=1,3;BYDAY=MO", "FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,MO,TH;WKST=SU",
		"FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,MO,TH;WKST=MO", "FREQ=WEEKLY;BYDAY=TU,SA;BYSETPOS=-1",
		"FREQ=MONTHLY;INTERVAL=7", "FREQ=MONTHLY;BYMONTHDAY=-1,15", "FREQ=MONTHLY;INTERVAL=2;BYDAY=2TU", "FREQ=YEARLY;INTERVAL=3",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "FREQ=YEARLY;BYYEARDAY=-1,100", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR",
	} {
		r, first := parsed(t, rule), moment(t, "2004-02-29T01:30[America/New_York]")
		all, _ := r.Starts(first, first, moment(t, "2030-01-01"), 100_000)
		for day := moment(t, "2004-01-01"); day.Year() < 2029; day = day.AddDate(0, 0, 97) {
			to := day.AddDate(0, 3, 0)
			var want []time.Time
			for _, at := range all {
				if !at.Before(day) && !at.After(to) {
					want = append(want, at)
				}
			}
			got, _ := r.Starts(first, day, to, 1000)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s from %s (-want +got):\n%s", rule, day, diff)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for rule, want := range map[string]string{
		"FREQ=DAILY": "", "FREQ=DAILY;COUNT=1": "", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO": "", "FREQ=DAILY;UNTIL=20260101": "",
		"FREQ=DAILY;UNTIL=20251231":                           "ends before its first event",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30":                 "never applies",
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30":                  "never applies",
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31;UNTIL=20300101":   "never applies",
		"FREQ=WEEKLY;BYMONTH=4;BYMONTHDAY=31;COUNT=7":         "never applies",
		"FREQ=YEARLY;BYSETPOS=300;BYMONTH=1;BYDAY=MO;WKST=SU": "never applies",
		"FREQ=MONTHLY;INTERVAL=12;BYMONTH=2;BYDAY=MO":         "never applies",
	} {
		err := tool.AsError(parsed(t, rule).Check(moment(t, "2026-01-01T09:00Z")))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Msg, want)) {
			t.Errorf("%s: %v, want %q", rule, err, want)
		}
	}
}

func TestLast(t *testing.T) {
	first := moment(t, "2026-01-01T09:00[Europe/Berlin]")
	for rule, want := range map[string]string{
		"FREQ=DAILY": "0001-01-01T00:00:00Z", "FREQ=DAILY;COUNT=1": "2026-01-01T09:00:00+01:00",
		"FREQ=MONTHLY;COUNT=7":      "2026-07-01T09:00:00+02:00",
		"FREQ=DAILY;UNTIL=20260701": "2026-07-01T23:59:59+02:00", "FREQ=DAILY;COUNT=10000": "2053-05-18T09:00:00+02:00",
		"FREQ=YEARLY;COUNT=10000": "9999-01-01T09:00:00+01:00",
	} {
		if got := parsed(t, rule).Last(first).Format(time.RFC3339); got != want {
			t.Errorf("%s ends at %s, want %s", rule, got, want)
		}
	}
}

func BenchmarkSparse(b *testing.B) {
	r, err := Parse("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_ = r.Check(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))
	}
}
