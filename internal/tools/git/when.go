package git

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// days and times are the forms that are read here, so that git need not guess.
var (
	days  = []string{time.DateOnly, "2006/1/2", "2006-1-2", "2 Jan 2006", "Jan 2 2006", "2 January 2006", "January 2 2006"}
	times = []string{
		time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04",
		"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2 Jan 2006 15:04", "Jan 2 2006 15:04",
		"Mon Jan 2 15:04:05 2006 -0700", "Mon 2 Jan 2006 15:04:05 -0700",
	}
)

var (
	// words are what git understands of a time beside numbers.
	words = regexp.MustCompile(`(?i)\d|\b(now|today|yesterday|noon|midnight|tea|ago|last|never|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b`)
	// dated is what names a day or a second by numbers or a month: git takes one that
	// does not exist for another.
	dated = regexp.MustCompile(`(?i)\d[-/.]\d|^\D?\d+\D?$|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`)
	clock = regexp.MustCompile(`\d+:[\d:]*`)
	epoch = regexp.MustCompile(`^@?\d{9,12}$`)
)

// when is a time as git reads it without doubt. Git takes a mere day for this hour of
// that day, and what it does not understand for now.
func when(text, ofDay string) (string, error) {
	text = strings.TrimSpace(text)
	if at, ok := instant(text, ofDay); ok {
		return seconds(at.Unix()), nil
	}
	if epoch.MatchString(text) {
		at, err := strconv.ParseInt(strings.TrimPrefix(text, "@"), 10, 64)
		return seconds(at), err
	}
	if len(text) > 100 || !words.MatchString(text) || strings.ContainsAny(text, "\x00\n") || dated.MatchString(text) || !clocks(text) {
		return "", tool.Fail(tool.ValidationError, "Not a time: %s. Use 2026-01-31, a time in RFC 3339, or words such as '2 weeks ago'", clip(text, 100))
	}
	return text, nil
}

// instant reads a day or a time of one.
func instant(text, ofDay string) (time.Time, bool) {
	text = strings.ReplaceAll(text, ",", "")
	for _, layout := range days {
		if day, err := time.Parse(layout, text); err == nil {
			text = day.Format(time.DateOnly) + ofDay
			break
		}
	}
	for _, layout := range times {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// seconds writes a time as git does itself. Without the zone it takes small numbers
// for something else; before 1970 it knows no times, and no commits.
func seconds(at int64) string { return fmt.Sprintf("@%d +0000", max(at, 0)) }

// clocks reports whether the times of day in a text exist.
func clocks(text string) bool {
	for _, part := range clock.FindAllString(text, -1) {
		_, minute := time.Parse("15:04", part)
		_, second := time.Parse("15:04:05", part)
		if minute != nil && second != nil {
			return false
		}
	}
	return true
}
