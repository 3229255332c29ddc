package dates

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestReadMoment(t *testing.T) {
	berlin, err := Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text, want, name string
		zone             *time.Location
		day, assumed     bool
	}{
		{"2026-11-23", "2026-11-23", "Europe/Berlin", berlin, true, false},
		{"2026-11-23", "2026-11-23", "UTC", nil, true, true},
		{" 2026-11-23T09:00 ", "2026-11-23T09:00:00+01:00", "Europe/Berlin", berlin, false, false},
		{"2026-11-23 09:00:30", "2026-11-23T09:00:30Z", "UTC", nil, false, true},
		{"2026-11-23T09:00Z", "2026-11-23T09:00:00Z", "UTC", nil, false, false},
		{"2026-11-23T09:00+05:30", "2026-11-23T09:00:00+05:30", "", nil, false, false},
		{"2026-11-23T09:00Z", "2026-11-23T10:00:00+01:00", "Europe/Berlin", berlin, false, false},
		{"2026-11-23T09:00[America/New_York]", "2026-11-23T09:00:00-05:00", "America/New_York", berlin, false, false},
		{"2026-11-23 09:00 America/New_York", "2026-11-23T09:00:00-05:00", "America/New_York", nil, false, false},
		{"2026-11-23T09:00 UTC", "2026-11-23T09:00:00Z", "UTC", nil, false, false},
		{"2026-11-23T14:00Z[America/New_York]", "2026-11-23T09:00:00-05:00", "America/New_York", nil, false, false},
		{"2026-03-29T02:30", "2026-03-29T03:30:00+02:00", "Europe/Berlin", berlin, false, false}, // skipped
		{"2026-10-25T02:30", "2026-10-25T02:30:00+02:00", "Europe/Berlin", berlin, false, false}, // the first of two
		{"2024-02-29", "2024-02-29", "UTC", nil, true, true},
		{"0001-01-01", "0001-01-01", "UTC", nil, true, true},
		{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "UTC", nil, false, false},
	} {
		got, err := ReadMoment(tt.text, tt.zone)
		if err != nil || got.String() != tt.want || got.Zone != tt.name || got.Day != tt.day || got.Assumed != tt.assumed {
			t.Errorf("%q in %v = %s %+v, %v, want %s in %s", tt.text, tt.zone, got, got, err, tt.want, tt.name)
		}
	}
	for _, text := range []string{
		"", "tomorrow", "next Friday", "2026-02-29", "0000-01-01", "10000-01-01", "2016-12-31T23:59:60Z", "2026-11-23T09:00:61",
		"2026-11-23T24:30", "2026-11-23T09:00[Mars/Olympus]", "2026-11-23T09:00[]", "0001-01-01T00:00+05:00", "9999-12-31T23:59-05:00",
		"2026-11-23T09:00 Local", "[UTC]", strings.Repeat("9", 1000),
	} {
		got, err := ReadMoment(text, nil)
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || len(e.Msg) > 500 {
			t.Errorf("%.40q = %s, %v, want a validation_error", text, got, err)
		}
	}
}

func TestAt(t *testing.T) {
	berlin, err := ZoneIf("timezone", " Europe/Berlin ")
	if err != nil {
		t.Fatal(err)
	}
	at := At(time.Date(2026, 3, 29, 2, 30, 0, 0, time.UTC), berlin)
	if got := at.Format(time.RFC3339); got != "2026-03-29T03:30:00+02:00" {
		t.Errorf("a skipped hour is %s", got)
	}
	if got := Shown(at); got != time.Date(2026, 3, 29, 3, 30, 0, 0, time.UTC) {
		t.Errorf("clocks show %s", got)
	}
}

func TestZoneIf(t *testing.T) {
	if zone, err := ZoneIf("timezone", ""); zone != nil || err != nil {
		t.Errorf("no name: %v, %v", zone, err)
	}
	for _, name := range []string{"Local", "Mars/Olympus", "../etc/passwd", "+01:00", "EST5EDT4"} {
		_, err := ZoneIf("timezone", name)
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.HasPrefix(e.Msg, "timezone: ") {
			t.Errorf("%q: %v, want a validation_error that names the parameter", name, err)
		}
	}
}
