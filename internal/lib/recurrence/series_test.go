package recurrence

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSeries(t *testing.T) {
	for _, tt := range []struct {
		name, rule, first, excluded, days, added, from, to, want string
		limit                                                    int
		more                                                     bool
	}{
		{"no rule", "", "2026-01-01T09:00Z", "", "", "2026-01-03T10:00Z", "2026-01-01", "2026-02-01", "01-01T09:00Z 01-03T10:00Z", 10, false},
		{
			"excluded counts", "FREQ=DAILY;COUNT=3", "2026-01-01T09:00Z", "2026-01-02T09:00Z", "", "", "2026-01-01", "2026-02-01",
			"01-01T09:00Z 01-03T09:00Z", 10, false,
		},
		{
			"first excluded", "FREQ=DAILY;COUNT=2", "2026-01-01T09:00Z", "2026-01-01T09:00Z", "", "", "2026-01-01", "2026-02-01",
			"01-02T09:00Z", 10, false,
		},
		{
			"other zone", "FREQ=DAILY;COUNT=2", "2026-01-01T09:00[Europe/Berlin]", "2026-01-02T08:00Z", "", "", "2026-01-01", "2026-02-01",
			"01-01T09:00+01:00", 10, false,
		},
		{
			"a day in the zone", "FREQ=DAILY;BYHOUR=0,23;COUNT=6", "2026-03-28T00:00[Europe/Berlin]", "", "2026-03-29", "", "2026-03-01",
			"2026-04-01", "03-28T00:00+01:00 03-28T23:00+01:00 03-30T00:00+02:00 03-30T23:00+02:00", 10, false,
		},
		{
			"the hour after a change", "FREQ=WEEKLY;COUNT=3", "2026-03-22T09:00[Europe/Berlin]", "2026-03-29T07:00Z", "", "", "2026-03-01",
			"2026-05-01", "03-22T09:00+01:00 04-05T09:00+02:00", 10, false,
		},
		{
			"a skipped hour", "FREQ=DAILY;COUNT=3", "2026-03-28T02:30[Europe/Berlin]", "2026-03-29T03:30+02:00", "", "", "2026-03-01", "2026-05-01",
			"03-28T02:30+01:00 03-30T02:30+02:00", 10, false,
		},
		{
			"the second of a repeated hour stays", "FREQ=DAILY;COUNT=2", "2026-10-24T02:30[Europe/Berlin]", "2026-10-25T02:30+01:00", "", "",
			"2026-10-01", "2026-11-01", "10-24T02:30+02:00 10-25T02:30+02:00", 10, false,
		},
		{
			"added twice", "FREQ=DAILY;COUNT=2", "2026-01-01T09:00Z", "", "", "2026-01-02T09:00Z 2026-01-02T10:00+01:00", "2026-01-01", "2026-02-01",
			"01-01T09:00Z 01-02T09:00Z", 10, false,
		},
		{
			"added and excluded", "", "2026-01-01T09:00Z", "2026-01-02T09:00Z", "", "2026-01-02T09:00Z", "2026-01-01", "2026-02-01",
			"01-01T09:00Z", 10, false,
		},
		{
			"limit", "FREQ=DAILY", "2026-01-01T09:00Z", "2026-01-02T09:00Z", "", "2026-01-01T10:00Z 2026-06-01T10:00Z", "2026-01-01", "2027-01-01",
			"01-01T09:00Z 01-01T10:00Z 01-03T09:00Z", 3, true,
		},
		{
			"many excluded days", "FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7,8", "2026-01-01T01:00Z", "", "2026-01-01 2026-01-02 2026-01-03", "", "2026-01-01",
			"2026-02-01", "01-04T01:00Z", 1, true,
		},
		{
			"window", "FREQ=DAILY", "2026-01-01T09:00Z", "", "", "2026-01-03T10:00Z 2026-01-05T10:00Z", "2026-01-03", "2026-01-04",
			"01-03T09:00Z 01-03T10:00Z", 10, false,
		},
	} {
		s := Series{}
		if tt.rule != "" {
			s.Rule = parsed(t, tt.rule)
		}
		for list, texts := range map[*[]time.Time]string{&s.Excluded: tt.excluded, &s.ExcludedDays: tt.days, &s.Added: tt.added} {
			for _, text := range strings.Fields(texts) {
				*list = append(*list, moment(t, text))
			}
		}
		first := moment(t, tt.first)
		starts, more := s.Starts(first, moment(t, tt.from), moment(t, tt.to), tt.limit)
		var got []string
		for _, at := range starts {
			got = append(got, at.Format("01-02T15:04Z07:00"))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" || more != tt.more {
			t.Errorf("%s: more: %v (-want +got):\n%s", tt.name, more, diff)
		}
		if last := s.Last(first); s.Endless() != last.IsZero() || !last.IsZero() && len(starts) > 0 && last.Before(starts[len(starts)-1]) {
			t.Errorf("%s: Last = %v", tt.name, last)
		}
	}
}
