package personaldata

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// vtimezone returns the definition of a zone with the rules that a program would write.
func vtimezone(id, standard, daylight string, rules ...string) string {
	part := func(name, from, to, rule string) string {
		return "BEGIN:" + name + "\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:" + from + "\r\nTZOFFSETTO:" + to + "\r\n" + rule + "END:" +
			name + "\r\n"
	}
	text := "BEGIN:VTIMEZONE\r\nTZID:" + id + "\r\n"
	if daylight == "" {
		return text + part("STANDARD", standard, standard, "") + "END:VTIMEZONE\r\n"
	}
	return text + part("STANDARD", daylight, standard, "RRULE:"+rules[0]+"\r\n") +
		part("DAYLIGHT", standard, daylight, "RRULE:"+rules[1]+"\r\n") + "END:VTIMEZONE\r\n"
}

// TestZones: a time is at the offset that the file defines, or that the name of its zone
// means; where neither says one, the event is refused and not put at another time.
func TestZones(t *testing.T) {
	const europe, europeDST = "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"
	const series = "\r\nRRULE:FREQ=WEEKLY;COUNT=40"
	for name, tt := range map[string]struct {
		head, start string
		want, zone  string // want is the start, or a part of the problem
		noted       bool
	}{
		"Outlook, defined": {
			vtimezone("W. Europe Standard Time", "+0100", "+0200", europe, europeDST), ";TZID=W. Europe Standard Time:20191105T130000",
			"2019-11-05T13:00:00+01:00", "Europe/Berlin", false,
		},
		"Outlook, in summer": {
			vtimezone("W. Europe Standard Time", "+0100", "+0200", europe, europeDST), ";TZID=W. Europe Standard Time:20190705T130000" + series,
			"2019-07-05T13:00:00+02:00", "Europe/Berlin", false,
		},
		"Outlook, not defined": {
			"", ";TZID=Pacific Standard Time:20260705T130000", "2026-07-05T13:00:00-07:00", "America/Los_Angeles", false,
		},
		"quoted": {"", `;TZID="Tokyo Standard Time":20260705T130000`, "2026-07-05T13:00:00+09:00", "Asia/Tokyo", false},
		"IANA":   {"", ";TZID=Europe/Berlin:20260705T130000", "2026-07-05T13:00:00+02:00", "Europe/Berlin", false},
		"the path of a program": {
			"", ";TZID=/mozilla.org/20070129_1/Europe/Berlin:20260705T130000", "2026-07-05T13:00:00+02:00", "Europe/Berlin", false,
		},
		"a path with three parts": {
			"", ";TZID=/x/Tzfile/America/Argentina/Salta:20260705T130000", "2026-07-05T13:00:00-03:00", "America/Argentina/Salta", false,
		},
		"a name of its own": {
			vtimezone("Customized Time Zone", "+0300", "", ""), ";TZID=Customized Time Zone:20260705T130000", "2026-07-05T13:00:00+03:00", "", false,
		},
		"a series without summer time": {
			vtimezone("Customized Time Zone", "+0545", "", ""), ";TZID=Customized Time Zone:20260705T130000" + series,
			"2026-07-05T13:00:00+05:45", "", false,
		},
		"its own rules, before": {
			vtimezone("X", "-0500", "-0400", "FREQ=YEARLY;BYMONTH=11;BYDAY=SU;BYMONTHDAY=1,2,3,4,5,6,7", "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"),
			";TZID=X:20260308T013000", "2026-03-08T01:30:00-05:00", "", false,
		},
		"its own rules, after": {
			vtimezone("X", "-0500", "-0400", "FREQ=YEARLY;BYMONTH=11;BYDAY=SU;BYMONTHDAY=1,2,3,4,5,6,7", "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"),
			";TZID=X:20260308T033000", "2026-03-08T03:30:00-04:00", "", false,
		},
		"its own rules, back": {
			vtimezone("X", "-0500", "-0400", "FREQ=YEARLY;BYMONTH=11;BYDAY=SU;BYMONTHDAY=1,2,3,4,5,6,7", "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"),
			";TZID=X:20261101T033000", "2026-11-01T03:30:00-05:00", "", false,
		},
		"rules that ended": {
			vtimezone("X", "+0300", "+0400", europe+";UNTIL=20101031T000000Z", europeDST+";UNTIL=20100328T000000Z"), ";TZID=X:20260705T130000",
			"2026-07-05T13:00:00+03:00", "", false,
		},
		"a familiar name, other rules": {
			vtimezone("Europe/Berlin", "+0500", "", ""), ";TZID=Europe/Berlin:20260705T130000", "2026-07-05T13:00:00+05:00", "", false,
		},
		"a series of unknown rules": {
			vtimezone("X", "+0100", "+0230", europe, europeDST), ";TZID=X:20260705T130000" + series, "a series needs one", "", false,
		},
		"a rule that is not understood": {
			vtimezone("X", "+0100", "+0200", "FREQ=MONTHLY", europeDST), ";TZID=X:20260705T130000", "is not understood", "", false,
		},
		"an offset that is none":    {vtimezone("X", "one", "", ""), ";TZID=X:20260705T130000", "offset", "", false},
		"a name that means nothing": {"", ";TZID=Customized Time Zone:20260705T130000", `"Customized Time Zone" is neither`, "", false},
		"the zone of the machine":   {"", ";TZID=localtime:20260705T130000", "is neither", "", false},
		"no zone, one for the file": {
			"X-WR-TIMEZONE:Europe/Paris\r\n", ":20260705T130000", "2026-07-05T13:00:00+02:00", "Europe/Paris", false,
		},
		"no zone, a wrong one":            {"X-WR-TIMEZONE:Middle/Earth\r\n", ":20260705T130000", "is neither", "", false},
		"no zone at all":                  {"", ":20260705T130000", "2026-07-05T13:00:00Z", "UTC", true},
		"UTC":                             {"", ":20260705T130000Z", "2026-07-05T13:00:00Z", "UTC", false},
		"a day that is not marked as one": {"", ":20220101", "2022-01-01", "UTC", false},
	} {
		text := "BEGIN:VCALENDAR\r\n" + tt.head + "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:x\r\nDTSTART" + tt.start +
			"\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
		list, problems := readAll(t, "ics", text)
		if len(list) == 0 {
			if len(problems) != 1 || problems[0].Stored || !strings.Contains(problems[0].Reason, tt.want) {
				t.Errorf("%s: %+v, want %q", name, problems, tt.want)
			}
			continue
		}
		var got struct{ StartTime, Timezone string }
		if err := json.Unmarshal(list[0].Doc, &got); err != nil {
			t.Fatal(err)
		}
		if got.StartTime != tt.want || got.Timezone != tt.zone || len(problems) > 0 != tt.noted {
			t.Errorf("%s: %+v with %+v, want %s in %q", name, got, problems, tt.want, tt.zone)
		}
	}
}

// TestOutlook: the times of a file of Outlook are at the hours that Outlook shows.
func TestOutlook(t *testing.T) {
	data, err := os.ReadFile("testdata/ics-outlook-tzid-becomes-utc.ics")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(readBack(t, "ics", string(data))[0].Doc)
	for _, want := range []string{
		`"startTime":"2019-11-05T13:00:00+01:00"`, `"endTime":"2019-11-05T18:00:00+01:00"`, `"timezone":"Europe/Berlin"`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the event is %s, want %s", doc, want)
		}
	}
}

// TestWindowsZones: every name of Windows means a zone that exists.
func TestWindowsZones(t *testing.T) {
	for name := range windowsZones {
		if place, _ := named(name); place == nil {
			t.Errorf("%s means %s, which does not exist", name, windowsZones[name])
		}
	}
}

// TestLenient: files with a mark at the beginning, blanks in rules and cards without a name
// are read.
func TestLenient(t *testing.T) {
	series := seedsOf(t, "ics")
	for _, data := range series {
		if list, problems := readAll(t, "ics", "\ufeff"+string(data)); len(list) == 0 || len(problems) > 0 {
			t.Errorf("%d events, %+v, of %.80q", len(list), problems, data)
		}
	}
	list := readBack(t, "vcf", "\ufeff"+string(seedsOf(t, "vcf")[0]))
	if len(list) != 2 || !strings.Contains(string(list[1].Doc), `"name":"Bo"`) {
		t.Errorf("the cards are %+v", list)
	}
}
