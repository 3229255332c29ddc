package git

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// days and times list the accepted formats, so that git need not guess.
var (
	days  = []string{time.DateOnly, "2006/1/2", "2006-1-2", "2 Jan 2006", "Jan 2 2006", "2 January 2006", "January 2 2006"}
	times = []string{
		time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04",
		"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2 Jan 2006 15:04", "Jan 2 2006 15:04",
		"Mon Jan 2 15:04:05 2006 -0700", "Mon 2 Jan 2006 15:04:05 -0700",
	}
)

var (
	// words matches the words of a time that git understands.
	words = regexp.MustCompile(
		`(?i)\d|\b(now|today|yesterday|noon|midnight|tea|ago|last|never|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b`,
	)
	// dated matches a day or a second given by numbers or a month: git replaces an
	// invalid one by another.
	dated = regexp.MustCompile(`(?i)\d[-/.]\d|^\D?\d+\D?$|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`)
	clock = regexp.MustCompile(`\d+:[\d:]*`)
	epoch = regexp.MustCompile(`^@?\d{9,12}$`)
)

// when returns a time in a form that git reads unambiguously. Git completes a mere day
// with the current time of day, and replaces what it does not understand by the current
// time.
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
		return "", tool.Fail(tool.ValidationError, "Not a time: %s. Use 2026-01-31, a time in RFC 3339, or words such as '2 weeks ago'",
			clip(text, 100))
	}
	return text, nil
}

// instant parses a day or a time.
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

// seconds formats a time as git does itself. Git misreads small numbers without a zone,
// and supports no times before 1970.
func seconds(at int64) string { return fmt.Sprintf("@%d +0000", max(at, 0)) }

// clocks reports whether the times of day in a text are valid.
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
