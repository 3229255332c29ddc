package office

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dateStyle describes what a style shows of a number: a day, a time of day, both, or neither.
type dateStyle struct{ day, clock, elapsed bool }

// unquoted removes what a format code shows as it is: quoted texts, escaped characters,
// fill characters, and brackets other than those of elapsed time.
var unquoted = regexp.MustCompile(`"[^"]*"|\\.|[_*].|\[[^\]]*\]`)

// elapsed matches the brackets of elapsed time, such as [h].
var elapsed = regexp.MustCompile(`(?i)\[(?:h+|m+|s+)\]`)

// dateStyleOf returns the style of a number format.
func dateStyleOf(id string, custom map[string]string) dateStyle {
	if code, ok := custom[id]; ok {
		code, _, _ = strings.Cut(code, ";") // of positive numbers
		style := dateStyle{elapsed: elapsed.MatchString(code)}
		code = strings.ToLower(unquoted.ReplaceAllString(code, ""))
		if strings.Contains(code, "general") {
			return dateStyle{}
		}
		style.clock = style.elapsed || strings.ContainsAny(code, "hs")
		// m is a month, but a minute beside an hour or a second.
		style.day = strings.ContainsAny(code, "yd") || strings.Contains(code, "m") && !style.clock
		return style
	}
	n, _ := strconv.Atoi(id)
	switch {
	case n >= 14 && n <= 17, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 54, n >= 57 && n <= 58:
		return dateStyle{day: true}
	case n >= 18 && n <= 21, n >= 32 && n <= 35, n == 45, n == 47, n >= 55 && n <= 56:
		return dateStyle{clock: true}
	case n == 22:
		return dateStyle{day: true, clock: true}
	case n == 46:
		return dateStyle{clock: true, elapsed: true}
	default:
		return dateStyle{}
	}
}

// maxSerial is the number of 31 December 9999.
const maxSerial = 2_958_465

// text returns the day or time that a number stands for, empty if it stands for none.
func (d dateStyle) text(serial float64, from04 bool) string {
	const second = 86_400
	if !d.day && !d.clock || math.IsNaN(serial) || serial < 0 || serial > maxSerial+1 {
		return ""
	}
	days := math.Floor(serial)
	seconds := int(math.Round((serial - days) * second))
	if d.elapsed {
		seconds += int(days) * second
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from04:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60: // Excel has a 29 February 1900, which is day 60
		epoch = epoch.AddDate(0, 0, 1)
	}
	at := epoch.AddDate(0, 0, int(days)).Add(time.Duration(seconds) * time.Second)
	switch {
	case at.Year() > 9999:
		return ""
	case d.day && d.clock, d.day && seconds > 0:
		return at.Format("2006-01-02 15:04:05")
	case d.day:
		return at.Format(time.DateOnly)
	case days > 0:
		return at.Format("2006-01-02 15:04:05")
	default:
		return at.Format(time.TimeOnly)
	}
}
