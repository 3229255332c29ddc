package dates

import (
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// written lists the forms that Written reads and, beside each, the form it returns.
var written = []struct{ reads, returns string }{
	{"2006-01-02", "2006-01-02"},
	{"2006-01-02T15:04", "2006-01-02T15:04:05"},
	{"2006-01-02T15:04:05", "2006-01-02T15:04:05"},
	{"2006-01-02T15:04Z07:00", time.RFC3339},
	{"2006-01-02T15:04:05Z07:00", time.RFC3339},
	{"2006-01-02T15:04Z0700", time.RFC3339},
	{"2006-01-02T15:04:05Z0700", time.RFC3339},
}

// Written reads a date that is to be stored as it was meant: a day, a local time, or a
// time with an offset from UTC. It returns the same in one form of each kind, with the
// offset that was given. Words such as "tomorrow" are refused with the forms to use.
func Written(text string) (string, error) {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) > 10 && trimmed[10] == ' ' {
		trimmed = trimmed[:10] + "T" + trimmed[11:]
	}
	for _, form := range written {
		at, err := time.Parse(form.reads, strings.ToUpper(trimmed))
		if err == nil && at.Year() >= 1 {
			return at.Format(form.returns), nil
		}
	}
	return "", tool.Fail(tool.ValidationError,
		"%q is no date that can be stored: write the day as YYYY-MM-DD (2026-11-23), or with the time as YYYY-MM-DDTHH:mm (2026-11-23T09:00), "+
			"and an offset if it matters (2026-11-23T09:00+01:00)",
		textcut.Excerpt(text, 60))
}

// Day reads a day and returns it as YYYY-MM-DD.
func Day(text string) (string, error) {
	at, err := time.Parse(time.DateOnly, strings.TrimSpace(text))
	if err != nil || at.Year() < 1 {
		return "", tool.Fail(tool.ValidationError, "%q is no day: write it as YYYY-MM-DD (1990-05-17)", textcut.Excerpt(text, 30)).Because(err)
	}
	return at.Format(time.DateOnly), nil
}
