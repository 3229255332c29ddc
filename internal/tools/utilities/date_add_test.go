package utilities

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDateAdd(t *testing.T) {
	tooltest.Run(t, Set, "date_add", tool.Call{}, []tooltest.Case{
		{
			Name: "days", Args: `{"date":"2026-06-01T00:00:00.000Z","amount":10,"unit":"days"}`,
			Want: `{"original":"2026-06-01T00:00:00.000Z","result":"2026-06-11T00:00:00.000Z","resultFormatted":"Thursday, June 11, 2026 at 12:00 AM","added":{"amount":10,"unit":"days"}}`,
		},
		{
			Name: "zone", Args: `{"date":"2026-03-28T18:30","amount":1,"unit":"days","timezone":"Europe/Paris"}`,
			Want: `{"original":"2026-03-28T18:30:00.000+01:00","result":"2026-03-29T18:30:00.000+02:00","resultFormatted":"Sunday, March 29, 2026 at 6:30 PM","added":{"amount":1,"unit":"days"}}`,
		},
		{
			Name: "shown in a zone", Args: `{"date":"2026-01-31T23:30:00Z","amount":-0.5,"unit":"hours","timezone":"Asia/Kolkata"}`,
			Want: `{"original":"2026-02-01T05:00:00.000+05:30","result":"2026-02-01T04:30:00.000+05:30","resultFormatted":"Sunday, February 1, 2026 at 4:30 AM","added":{"amount":-0.5,"unit":"hours"}}`,
		},
		{Name: "tomorrow", Args: `{"date":"tomorrow","amount":1,"unit":"weeks"}`, Check: hasField("result", `"2026-01-10T00:00:00.000Z"`)},
		{
			Name: "no date", Args: `{"date":"not-a-date","amount":1,"unit":"days"}`, Fails: tool.ValidationError,
			Message: "Invalid date format: 'not-a-date'",
		},
		{
			Name: "no zone", Args: `{"date":"2026-01-01","amount":1,"unit":"days","timezone":"Mars"}`, Fails: tool.ValidationError,
			Message: "Invalid timezone",
		},
		{Name: "half a month", Args: `{"date":"2026-01-01","amount":0.5,"unit":"months"}`, Fails: tool.ValidationError, Message: "whole months"},
		{
			Name: "beyond the calendar", Args: `{"date":"9999-12-31","amount":1,"unit":"days"}`, Fails: tool.ValidationError,
			Message: "years 1 to 9999",
		},
		{
			Name: "before the calendar", Args: `{"date":"0001-01-01","amount":-1,"unit":"months"}`, Fails: tool.ValidationError,
			Message: "years 1 to 9999",
		},
		{
			Name: "far beyond in months", Args: `{"date":"2026-01-01","amount":1e300,"unit":"years"}`, Fails: tool.ValidationError,
			Message: "years 1 to 9999",
		},
		{
			Name: "far beyond in seconds", Args: `{"date":"2026-01-01","amount":-1e300,"unit":"seconds"}`, Fails: tool.ValidationError,
			Message: "years 1 to 9999",
		},
		{Name: "unit", Args: `{"date":"2026-01-01","amount":1,"unit":"moons"}`, Fails: tool.ValidationError, Message: "unit"},
		{Name: "missing", Args: `{"date":"2026-01-01","unit":"days"}`, Fails: tool.ValidationError, Message: "amount"},
	})
}
