package dates

import (
	"encoding/json"
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	moment := time.Date(2026, 6, 5, 15, 4, 9, 78e6, time.FixedZone("", 7200))
	for format, want := range map[string]string{
		"iso": "2026-06-05T15:04:09.078+02:00", "ISO": "2026-06-05T15:04:09.078+02:00", "rfc3339": "2026-06-05T15:04:09+02:00",
		"date": "2026-06-05", "time": "15:04:09", "datetime": "2026-06-05 15:04:09",
		"medium": "Jun 5, 2026, 3:04 PM", "short": "6/5/2026", "rfc2822": "Fri, 05 Jun 2026 15:04:09 +0200",
		"http": "Fri, 05 Jun 2026 13:04:09 GMT", "unix": "1780664649", "weekday": "Friday", "month": "June", "year": "2026",
		"YYYY-MM-DD": "2026-06-05", "yyyy-MM-dd'T'HH:mm:ss.SSS": "2026-06-05T15:04:09.078", "YYYY-MM-DDTHH:mm:ssZZ": "2026-06-05T15:04:09+0200",
		"YYYYMMDD": "20260605", "D/M/YY": "5/6/26",
		"dddd, MMMM Do YYYY": "Friday, June 5th 2026", "ddd D MMM": "Fri 5 Jun", "EEEE": "Friday", "h:mm A": "3:04 PM", "hh:mm a": "03:04 pm",
		"H": "15", "[at] HH [o'clock]": "at 15 o'clock",
		"D MMMM at HH:mm": "5 June at 15:04", "Week W of YYYY, Q[Q]": "Week 23 of 2026, 2Q", "WW": "23", "DDDD": "156", "X": "1780664649",
		"x": "1780664649078", "[open": "[open", "été D": "été 5",
		"%d/%m/%Y": "05/06/2026", "%A, %B %e": "Friday, June 5", "%F %T.%f": "2026-06-05 15:04:09.078", "%I:%M %p": "03:04 PM",
		"%j %V %y": "156 23 26", "100%% %q %": "100% %q %", "%Z": "+0200", "%D %R": "06/05/26 15:04",
	} {
		if got := Format(moment, moment, format); got != want {
			t.Errorf("%q = %q, want %q", format, got, want)
		}
	}
	for seconds, want := range map[int]string{
		0: "now", 59: "now", -59: "now", 60: "in 1 minute", -120: "2 minutes ago", 7200: "in 2 hours", 86400: "in 1 day",
		-3 * 86400: "3 days ago", 14 * 86400: "in 2 weeks", 61 * 86400: "in 2 months", -731 * 86400: "2 years ago",
	} {
		if got := Format(moment.Add(time.Duration(seconds)*time.Second), moment, "relative"); got != want {
			t.Errorf("%d seconds = %q, want %q", seconds, got, want)
		}
	}
	for day, want := range map[int]string{
		1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 22: "22nd", 31: "31st", 111: "111th",
	} {
		if got := withOrdinal(day); got != want {
			t.Errorf("%d = %q, want %q", day, got, want)
		}
	}
}

// Every token that strftime letters stand for is one.
func TestStrftimeTokens(t *testing.T) {
	moment := time.Date(2026, 6, 15, 10, 30, 0, 0, time.UTC)
	for letter, pattern := range strftimeTokens {
		if got := formatPattern(moment, pattern); got == pattern {
			t.Errorf("%%%c stands for %q, which writes nothing", letter, pattern)
		}
	}
}

func FuzzFormatDate(f *testing.F) {
	for _, seed := range []string{"YYYY-MM-DD'T'HH", "[x", "%d%", "dddd Do [of] MMMM", "\xff%\xff", "relative"} {
		f.Add(seed)
	}
	moment := time.Date(2026, 6, 15, 10, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, format string) {
		got := Format(moment, moment, format)
		if _, err := json.Marshal(got); err != nil || len(got) > 64+20*len(format) {
			t.Errorf("%q = %q, %v", format, got, err)
		}
	})
}
