package utilities

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type formatDateArgs struct {
	Date     string  `json:"date" doc:"Date to format, in ISO 8601 or as people write it, Unix time, or now, today, tomorrow or yesterday."`
	Format   string  `json:"format,omitempty" doc:"iso, rfc3339, date, time, datetime, full, long, medium, short, rfc2822, http, unix, relative, weekday, month or year; or a pattern such as 'YYYY-MM-DD HH:mm', 'dddd, MMMM Do' or '%d/%m/%Y', with words to keep in [brackets]." default:"long" max:"200"`
	Timezone *string `json:"timezone,omitempty" doc:"IANA time zone to show the date in, and of a date without an offset; UTC when left out."`
}

type formatDateResult struct {
	Original  string `json:"original" doc:"RFC 3339."`
	Formatted string `json:"formatted"`
	Format    string `json:"format"`
	Timezone  string `json:"timezone"`
}

var _ = tool.Add(Set, tool.Spec[formatDateArgs, formatDateResult]{
	Name: "format_date",
	Description: "Write a date in another form, by a named format or a pattern and in any time zone, when it is to be shown to people or " +
		"programs; returns the formatted text.",
	Tags:       []string{"format date", "date", "time", "timezone", "convert date", "strftime", "pattern", "display"},
	Group:      "dateTime",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"date": "2026-06-15T10:30:00Z", "format": "dddd, D MMMM YYYY, HH:mm", "timezone": "Asia/Tokyo"}`,
	Timeout:    5 * time.Second,
	Run:        runFormatDate,
})

func runFormatDate(_ context.Context, call *tool.Call, args formatDateArgs) (formatDateResult, error) {
	if strings.TrimSpace(args.Format) == "" {
		return formatDateResult{}, tool.Fail(tool.ValidationError,
			"The format is empty. Give a name such as long or a pattern such as YYYY-MM-DD.")
	}
	t, err := dateIn(call, args.Date, args.Timezone)
	if err != nil {
		return formatDateResult{}, err
	}
	return formatDateResult{
		Original:  dates.ISO(t),
		Formatted: strings.ToValidUTF8(dates.Format(t, call.Clock.Now(), args.Format), "\uFFFD"),
		Format:    args.Format,
		Timezone:  zoneName(t),
	}, nil
}

// zoneName returns the name of a date's zone, or its offset if it has none.
func zoneName(t time.Time) string {
	if name := t.Location().String(); name != "" {
		return name
	}
	return t.Format("-07:00")
}
