package utilities

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestFormatDate(t *testing.T) {
	tooltest.Run(t, Set, "format_date", tool.Call{}, []tooltest.Case{
		{
			Name: "default",
			Args: `{"date":"2026-06-15T10:30:00Z"}`,
			Want: `{"original":"2026-06-15T10:30:00.000Z","formatted":"Monday, June 15, 2026 at 10:30 AM","format":"long","timezone":"UTC"}`,
		},
		{
			Name: "zone",
			Args: `{"date":"2026-06-15T10:30:00Z","format":"YYYY-MM-DD HH:mm Z","timezone":"Asia/Tokyo"}`,
			Want: `{"original":"2026-06-15T19:30:00.000+09:00","formatted":"2026-06-15 19:30 +09:00","format":"YYYY-MM-DD HH:mm Z","timezone":"Asia/Tokyo"}`,
		},
		{
			Name: "offset",
			Args: `{"date":"2026-06-15T10:30:00+02:00","format":"time"}`,
			Want: `{"original":"2026-06-15T10:30:00.000+02:00","formatted":"10:30:00","format":"time","timezone":"+02:00"}`,
		},
		{Name: "relative", Args: `{"date":"2025-12-30","format":"relative"}`, Check: hasField("formatted", `"4 days ago"`)},
		{Name: "no date", Args: `{"date":"soon"}`, Fails: tool.ValidationError, Message: "Invalid date"},
		{Name: "no zone", Args: `{"date":"now","timezone":"Mars"}`, Fails: tool.ValidationError, Message: "Invalid timezone"},
		{Name: "no format", Args: `{"date":"now","format":" "}`, Fails: tool.ValidationError, Message: "format is empty"},
		{Name: "long format", Args: `{"date":"now","format":"` + strings.Repeat("Y", 201) + `"}`, Fails: tool.ValidationError, Message: "format"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "date"},
	})
}
