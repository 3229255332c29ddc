package utilities

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAddToDate(t *testing.T) {
	tooltest.Run(t, Set, "add_to_date", tool.Call{}, []tooltest.Case{
		{
			Name: "months, then days", Args: `{"date":"2026-01-31","days":1,"months":1}`,
			Want: `{"original":"2026-01-31T00:00:00.000Z","result":"2026-03-01T00:00:00.000Z","resultFormatted":"Sunday, March 1, 2026 at 12:00 AM","added":[{"amount":1,"unit":"months"},{"amount":1,"unit":"days"}]}`,
		},
		{
			Name: "everything",
			Args: `{"date":"2024-02-29T12:00:00Z","years":1,"months":-1,"weeks":1,"days":-1,"hours":2,"minutes":-30,"seconds":15}`,
			Want: `{"original":"2024-02-29T12:00:00.000Z","result":"2025-02-03T13:30:15.000Z","resultFormatted":"Monday, February 3, 2025 at 1:30 PM","added":[{"amount":1,"unit":"years"},{"amount":-1,"unit":"months"},{"amount":1,"unit":"weeks"},{"amount":-1,"unit":"days"},{"amount":2,"unit":"hours"},{"amount":-30,"unit":"minutes"},{"amount":15,"unit":"seconds"}]}`,
		},
		{
			Name: "amount and unit",
			Args: `{"date":"2026-01-01","amount":2,"unit":"weeks"}`,
			Want: `{"original":"2026-01-01T00:00:00.000Z","result":"2026-01-15T00:00:00.000Z","resultFormatted":"Thursday, January 15, 2026 at 12:00 AM","added":[{"amount":2,"unit":"weeks"}]}`,
		},
		{Name: "both", Args: `{"date":"2026-01-01","amount":2,"unit":"days","days":1}`, Check: hasField("result", `"2026-01-04T00:00:00.000Z"`)},
		{
			Name:  "nothing in a unit",
			Args:  `{"date":"2026-01-01","amount":0,"unit":"days"}`,
			Check: hasField("result", `"2026-01-01T00:00:00.000Z"`),
		},
		{
			Name: "no days",
			Args: `{"date":"2026-01-01","days":0}`,
			Want: `{"original":"2026-01-01T00:00:00.000Z","result":"2026-01-01T00:00:00.000Z","resultFormatted":"Thursday, January 1, 2026 at 12:00 AM","added":[{"amount":0,"unit":"days"}]}`,
		},
		{
			Name:  "zone",
			Args:  `{"date":"2026-10-24T12:00","days":1,"timezone":"Europe/Paris"}`,
			Check: hasField("result", `"2026-10-25T12:00:00.000+01:00"`),
		},
		{Name: "nothing", Args: `{"date":"2026-01-01"}`, Fails: tool.ValidationError, Message: "at least one of years, months"},
		{Name: "no unit", Args: `{"date":"2026-01-01","amount":1}`, Fails: tool.ValidationError, Message: "belong together"},
		{Name: "no amount", Args: `{"date":"2026-01-01","unit":"days"}`, Fails: tool.ValidationError, Message: "belong together"},
		{Name: "half a month", Args: `{"date":"2026-01-01","months":0.5}`, Fails: tool.ValidationError, Message: "whole months"},
		{
			Name:    "beyond on the way",
			Args:    `{"date":"2026-01-01","years":9000,"days":-9999999}`,
			Fails:   tool.ValidationError,
			Message: "years 1 to 9999",
		},
		{Name: "no date", Args: `{"date":"soon","days":1}`, Fails: tool.ValidationError, Message: "Invalid date"},
		{Name: "missing", Args: `{"days":1}`, Fails: tool.ValidationError, Message: "date"},
	})
}
