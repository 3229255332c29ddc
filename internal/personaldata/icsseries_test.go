package personaldata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExceptions: exceptions and further dates of a series are read as other programs write
// them, and an event that was moved does not take place at its old time too.
func TestExceptions(t *testing.T) {
	const begin, end = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n", "END:VCALENDAR\n"
	event := func(lines ...string) string {
		return "BEGIN:VEVENT\nDTSTAMP:20260101T000000Z\nSUMMARY:x\n" + strings.Join(lines, "\n") + "\nEND:VEVENT\n"
	}
	const berlin = ";TZID=Europe/Berlin:"
	series := []string{"UID:1", "DTSTART" + berlin + "20260322T093000", "RRULE:FREQ=WEEKLY"}
	for name, tt := range map[string]struct {
		text            string
		excluded, added []string
	}{
		"in the zone, in lists": {
			event(append(series, "EXDATE"+berlin+"20260329T093000,20260405T093000", "EXDATE"+berlin+"20260412T093000")...),
			[]string{"2026-03-29T09:30:00+02:00", "2026-04-05T09:30:00+02:00", "2026-04-12T09:30:00+02:00"}, nil,
		},
		"in UTC": {
			event(append(series, "EXDATE:20260329T073000Z", "RDATE:20261225T080000Z")...), []string{"2026-03-29T09:30:00+02:00"},
			[]string{"2026-12-25T09:00:00+01:00"},
		},
		"without a zone": {event(append(series, "EXDATE:20260329T093000")...), []string{"2026-03-29T09:30:00+02:00"}, nil},
		"days": {
			event(append(series, "EXDATE;VALUE=DATE:20260329", "RDATE;VALUE=DATE:20261225")...), []string{"2026-03-29T09:30:00+02:00"},
			[]string{"2026-12-25T09:30:00+01:00"},
		},
		"a period": {
			event(append(series, "RDATE;VALUE=PERIOD:20261225T080000Z/PT2H")...), nil, []string{"2026-12-25T09:00:00+01:00"},
		},
		"not a series":       {event("UID:1", "DTSTART:20260322T093000Z", "EXDATE:20260329T093000Z"), nil, nil},
		"a date of no event": {event(append(series, "EXDATE"+berlin+"20260330T093000")...), []string{"2026-03-30T09:30:00+02:00"}, nil},
		"an event that moved": {
			event(series...) + event("UID:1", "DTSTART"+berlin+"20260330T110000", "RECURRENCE-ID"+berlin+"20260329T093000"),
			[]string{"2026-03-29T09:30:00+02:00"}, nil,
		},
		"moved, of another rule": {
			event(series...) + event("UID:2", "DTSTART"+berlin+"20260330T110000", "RECURRENCE-ID"+berlin+"20260329T093000"), nil, nil,
		},
	} {
		var got struct{ Excluded, Added []string }
		doc := readBack(t, "ics", strings.ReplaceAll(begin+tt.text+end, "\n", "\r\n"))[0].Doc
		if err := json.Unmarshal(doc, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]string{tt.excluded, tt.added}, [][]string{got.Excluded, got.Added}); diff != "" {
			t.Errorf("%s (-want +got):\n%s%s", name, diff, doc)
		}
	}
}
