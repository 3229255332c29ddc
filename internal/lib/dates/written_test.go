package dates

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestWritten(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-23":                "2026-11-23",
		" 2026-11-23 ":              "2026-11-23",
		"2026-11-23T09:00":          "2026-11-23T09:00:00",
		"2026-11-23 09:00":          "2026-11-23T09:00:00",
		"2026-11-23T09:00:30":       "2026-11-23T09:00:30",
		"2026-11-23t09:00z":         "2026-11-23T09:00:00Z",
		"2026-11-23T09:00:00Z":      "2026-11-23T09:00:00Z",
		"2026-11-23T09:00+05:30":    "2026-11-23T09:00:00+05:30",
		"2026-11-23T09:00:00-03:00": "2026-11-23T09:00:00-03:00",
		"2026-11-23T09:00+0530":     "2026-11-23T09:00:00+05:30",
		"2026-11-23T09:00:00.000Z":  "2026-11-23T09:00:00Z",
		"2024-02-29":                "2024-02-29",
		"0001-01-01":                "0001-01-01",
		"9999-12-31T23:59:59Z":      "9999-12-31T23:59:59Z",
	} {
		if got, err := Written(text); err != nil || got != want {
			t.Errorf("Written(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "tomorrow", "next week", "23.11.2026", "11/23/2026", "2026-02-29", "2026-13-01", "2026-11-23T25:00", "2016-12-31T23:59:60Z",
		"0000-01-01", "10000-01-01", "2026-11-23T09", "2026-11-23T09:00 Europe/Berlin", "1700000000",
	} {
		got, err := Written(text)
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError {
			t.Errorf("Written(%q) = %q, %v, want a validation_error", text, got, err)
		}
	}
}

func TestDay(t *testing.T) {
	for text, want := range map[string]string{
		"1990-05-17": "1990-05-17", " 2024-02-29 ": "2024-02-29", "0001-01-01": "0001-01-01", "9999-12-31": "9999-12-31",
	} {
		if got, err := Day(text); err != nil || got != want {
			t.Errorf("Day(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "2023-02-29", "2026-02-30", "0000-01-01", "10000-01-01", "17.05.1990", "1990-05-17T00:00", "yesterday", "05-17", "1990-5-17", "\x00",
	} {
		got, err := Day(text)
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.Contains(e.Msg, "YYYY-MM-DD") {
			t.Errorf("Day(%q) = %q, %v, want a validation_error", text, got, err)
		}
	}
}
