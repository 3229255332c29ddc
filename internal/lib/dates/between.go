package dates

import (
	"math/big"
	"time"
)

// Span is the time between two moments on the calendar and the clock of a zone, the
// largest units first. All numbers have the same sign.
type Span struct {
	Years   int     `json:"years"`
	Months  int     `json:"months"`
	Days    int     `json:"days"`
	Hours   int     `json:"hours"`
	Minutes int     `json:"minutes"`
	Seconds float64 `json:"seconds"`
}

// Between returns the span from one moment to another in the zone of from. Months and years
// keep the day, or use the last day of a shorter month; days keep the time of day, and the
// rest is elapsed time, so a day in which clocks change has 23 or 25 hours. If to is
// earlier, the numbers are those of the span from to, below 0.
func Between(from, to time.Time) Span {
	sign := 1
	to = to.In(from.Location())
	if to.Before(from) {
		from, to, sign = to, from, -1
	}
	months := wholeMonths(from, to)
	start := plusMonths(from, months)
	days := wholeDays(start, to)
	rest := to.Sub(plusDays(start, days))
	return Span{
		Years: sign * (months / 12), Months: sign * (months % 12), Days: sign * days,
		Hours: sign * int(rest/time.Hour), Minutes: sign * int(rest%time.Hour/time.Minute),
		Seconds: float64(sign) * (rest % time.Minute).Seconds(),
	}
}

// InMonths returns the number of months of a span as [Between] counts them, with the part of
// the last month that has passed.
func InMonths(from, to time.Time) *big.Rat {
	return counted(from, to, wholeMonths, plusMonths)
}

// InDays returns the number of days of a span as [Between] counts them, with the part of
// the last day that has passed.
func InDays(from, to time.Time) *big.Rat {
	return counted(from, to, wholeDays, plusDays)
}

func counted(from, to time.Time, whole func(from, to time.Time) int, plus func(time.Time, int) time.Time) *big.Rat {
	sign := int64(1)
	to = to.In(from.Location())
	if to.Before(from) {
		from, to, sign = to, from, -1
	}
	n := whole(from, to)
	start, end := plus(from, n), plus(from, n+1)
	part := big.NewRat(int64(to.Sub(start)), max(int64(end.Sub(start)), 1))
	return part.Mul(part.Add(part, big.NewRat(int64(n), 1)), big.NewRat(sign, 1))
}

// wholeMonths returns the greatest number of months after which to has not passed.
func wholeMonths(from, to time.Time) int {
	n := (to.Year()-from.Year())*12 + int(to.Month()-from.Month())
	for n > 0 && plusMonths(from, n).After(to) {
		n--
	}
	return n
}

// wholeDays returns the greatest number of days after which to has not passed.
func wholeDays(from, to time.Time) int {
	const day = 24 * 60 * 60
	n := int((wall(to).Unix() - wall(from).Unix()) / day)
	for !plusDays(from, n+1).After(to) {
		n++
	}
	for n > 0 && plusDays(from, n).After(to) {
		n--
	}
	return n
}

// plusMonths is t that many months later, on the last day of a month that is too short.
func plusMonths(t time.Time, months int) time.Time {
	if months == 0 {
		return t
	}
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	day := first.AddDate(0, 0, min(t.Day(), last)-1)
	return wallClock(day.Add(wall(t).Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))), t.Location())
}

// plusDays is t that many days later, at the same time of day.
func plusDays(t time.Time, days int) time.Time {
	if days == 0 {
		return t
	}
	return wallClock(wall(t).AddDate(0, 0, days), t.Location())
}
