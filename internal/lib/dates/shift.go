package dates

import (
	"math/big"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
)

// WithinCalendar refuses times that RFC 3339 cannot represent: years beyond 9999, and
// the year 0, which does not exist.
func WithinCalendar(t time.Time) (time.Time, error) {
	if year, utc := t.Year(), t.UTC().Year(); year < 1 || year > 9999 || utc < 1 || utc > 9999 {
		return time.Time{}, outsideCalendar()
	}
	return t, nil
}

func outsideCalendar() error {
	return tool.Fail(tool.ValidationError, "Invalid date: it lies outside the years 1 to 9999. Choose one within them.")
}

// wall returns the wall clock time of t as a time in UTC.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// wallClock returns the time at which clocks in zone show the wall clock time shown. If
// they show it twice, as summer time ends, it returns the first; if they skip it, as
// summer time begins, it returns the time shifted by the skipped amount.
func wallClock(shown time.Time, zone *time.Location) time.Time {
	var first time.Time
	for i, days := range []int{-1, 1} {
		_, offset := shown.AddDate(0, 0, days).In(zone).Zone()
		t := shown.Add(-time.Duration(offset) * time.Second).In(zone)
		if _, actual := t.Zone(); actual == offset {
			return t
		}
		if i == 0 {
			first = t
		}
	}
	return first
}

// Spans maps units of fixed length to their seconds.
var Spans = map[string]int64{"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 7 * 86400}

// monthsIn maps the other units to their months.
var monthsIn = map[string]int64{"months": 1, "years": 12}

// maxSpan is more seconds than ten thousand years have.
const maxSpan = 400_000_000_000

// Shift moves t by amount units. Months and years keep the day, or use the last day of
// a shorter month. Whole days and weeks keep the wall clock time in t's zone. Shorter
// units are elapsed time.
func Shift(t time.Time, amount float64, unit string) (time.Time, error) {
	exact := calc.RatOf(amount, -1)
	if months, calendar := monthsIn[unit]; calendar {
		count := new(big.Rat).Mul(exact, big.NewRat(months, 1))
		switch {
		case !count.IsInt():
			return time.Time{}, tool.Fail(tool.ValidationError, "The amount of %s must come to whole months. Use days for parts of a month.", unit)
		case count.Num().CmpAbs(big.NewInt(12*10_000)) > 0:
			return time.Time{}, outsideCalendar()
		case count.Sign() == 0:
			return t, nil
		}
		return shiftMonths(t, int(count.Num().Int64()))
	}
	seconds := new(big.Rat).Mul(exact, big.NewRat(Spans[unit], 1))
	if new(big.Rat).Abs(seconds).Cmp(big.NewRat(maxSpan, 1)) > 0 {
		return time.Time{}, outsideCalendar()
	}
	if Spans[unit] >= Spans["days"] {
		days := new(big.Int).Quo(calc.Truncated(seconds), big.NewInt(Spans["days"]))
		seconds.Sub(seconds, new(big.Rat).SetInt64(days.Int64()*Spans["days"]))
		if days.Sign() != 0 {
			t = wallClock(wall(t).AddDate(0, 0, int(days.Int64())), t.Location())
		}
	}
	full := calc.Truncated(seconds).Int64()
	rest, _ := new(big.Rat).Sub(seconds, big.NewRat(full, 1)).Float64()
	moved := time.Unix(t.Unix()+full, int64(t.Nanosecond())).In(t.Location())
	return WithinCalendar(moved.Add(time.Duration(rest * float64(time.Second))))
}

func shiftMonths(t time.Time, months int) (time.Time, error) {
	return WithinCalendar(plusMonths(t, months))
}
