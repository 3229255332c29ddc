package personaldata

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// yearly is the rule by which an observance begins every year, such as
// FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU.
type yearly struct {
	start   time.Time // whose month, day and time of day count where the rule names none
	month   time.Month
	weekday time.Weekday
	nth     int   // of the weekday in the month, from the end if it is negative; 0 if days say which
	byDay   bool  // weekday counts
	days    []int // of the month
	until   time.Time
}

var weekdays = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// yearlyIn parses the rule of an observance. UNTIL is in UTC; from is the offset of clocks
// before the change.
func yearlyIn(rule string, start time.Time, from int) (*yearly, error) {
	y := &yearly{start: start, month: start.Month()}
	for part := range strings.SplitSeq(strings.ToUpper(strings.ReplaceAll(rule, " ", "")), ";") {
		name, value, _ := strings.Cut(part, "=")
		if !y.set(name, value, from) {
			return nil, fmt.Errorf("its rule %.100q is not understood", rule)
		}
	}
	if y.byDay && y.nth == 0 && len(y.days) == 0 {
		return nil, fmt.Errorf("its rule %.100q is not understood", rule)
	}
	return y, nil
}

func (y *yearly) set(name, value string, from int) bool {
	switch name {
	case "", "WKST":
		return true
	case "FREQ":
		return value == "YEARLY"
	case "INTERVAL":
		return value == "1"
	case "BYMONTH":
		n, err := strconv.Atoi(value)
		y.month = time.Month(n)
		return err == nil && n >= 1 && n <= 12
	case "BYDAY":
		i := slices.Index(weekdays, value[max(len(value)-2, 0):])
		if i < 0 {
			return false
		}
		y.weekday, y.byDay = time.Weekday(i), true
		if count := value[:len(value)-2]; count != "" {
			var err error
			y.nth, err = strconv.Atoi(count)
			return err == nil && y.nth >= -5 && y.nth <= 5
		}
		return true
	case "BYMONTHDAY":
		for text := range strings.SplitSeq(value, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > 31 {
				return false
			}
			y.days = append(y.days, n)
		}
		return true
	case "UNTIL":
		utc, isUTC := strings.CutSuffix(value, "Z")
		at, err := time.Parse("20060102T150405", utc)
		if err != nil {
			at, err = time.Parse("20060102", utc)
			at = at.Add(24*time.Hour - time.Second)
		}
		if y.until = at; isUTC {
			y.until = at.Add(time.Duration(from) * time.Second)
		}
		return err == nil
	}
	return false
}

// in returns when the observance begins in a year, as clocks show it.
func (y *yearly) in(year int) time.Time {
	at := func(day int) time.Time {
		return time.Date(year, y.month, day, y.start.Hour(), y.start.Minute(), y.start.Second(), 0, time.UTC)
	}
	switch {
	case y.byDay && y.nth < 0:
		last := at(1).AddDate(0, 1, -1)
		back := (int(last.Weekday()) - int(y.weekday) + 7) % 7
		return last.AddDate(0, 0, -back+7*(y.nth+1))
	case y.byDay && y.nth > 0:
		return at(1 + (int(y.weekday)-int(at(1).Weekday())+7)%7 + 7*(y.nth-1))
	case y.byDay && len(y.days) > 0:
		for _, day := range y.days {
			if at(day).Weekday() == y.weekday {
				return at(day)
			}
		}
	case len(y.days) > 0:
		return at(y.days[0])
	}
	return at(y.start.Day())
}
