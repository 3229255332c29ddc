package timetable

import (
	"fmt"
	"strconv"
	"strings"
)

// Cron is a cron expression. Each field is a set of bits.
type Cron struct {
	text                              string
	minute, hour, day, month, weekday uint64
	anyDay, anyWeekday                bool // the field begins with *
}

// field is a field of an expression: its values, and names of the values from the first.
type field struct {
	name        string
	least, most int
	names       []string
}

var fields = []field{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

var words = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// maxCron bounds the length of an expression.
const maxCron = 1000

// ParseCron reads an expression: minute, hour, day of the month, the month and day of the week. A day
// matches by either of its two fields if both are restricted, as POSIX has it.
func ParseCron(text string) (Cron, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if len(text) > maxCron {
		return Cron{}, fmt.Errorf("a cron expression has at most %d characters", maxCron)
	}
	expression := text
	if strings.HasPrefix(text, "@") {
		known, ok := words[text]
		if !ok {
			return Cron{}, fmt.Errorf("%q is not supported: use @hourly, @daily, @weekly, @monthly, @yearly, or a cron expression of 5 fields", text)
		}
		expression = known
	}
	parts := strings.Fields(expression)
	if len(parts) == 6 || len(parts) == 7 {
		return Cron{}, fmt.Errorf("%q has %d fields, and cron has 5 here (minute hour day-of-month month day-of-week): %w",
			text, len(parts), errOften)
	}
	if len(parts) != len(fields) {
		return Cron{}, fmt.Errorf("%q is no schedule: write %s", text, forms)
	}
	c := Cron{text: strings.Join(parts, " "), anyDay: parts[2][0] == '*', anyWeekday: parts[4][0] == '*'}
	for i, set := range []*uint64{&c.minute, &c.hour, &c.day, &c.month, &c.weekday} {
		var err error
		if *set, err = fields[i].parse(parts[i]); err != nil {
			return Cron{}, err
		}
	}
	const sunday, seventh = 1, 1 << 7
	if c.weekday&seventh != 0 {
		c.weekday |= sunday
	}
	return c, nil
}

// parse returns the set of values of a field.
func (f field) parse(text string) (set uint64, err error) {
	for item := range strings.SplitSeq(text, ",") {
		low, high, step, err := f.item(item)
		if err != nil {
			return 0, err
		}
		for v := low; v <= high; v += step {
			set |= 1 << v
		}
	}
	return set, nil
}

// item reads *, a value, a range, each with or without a step.
func (f field) item(text string) (low, high, step int, err error) {
	span, by, stepped := strings.Cut(text, "/")
	from, to, ranged := strings.Cut(span, "-")
	low, high, step = f.least, f.most, 1
	if f.most == 7 && span == "*" {
		high = 6 // Sunday once
	}
	if span != "*" {
		if low, err = f.value(from, text); err != nil {
			return 0, 0, 0, err
		}
		switch {
		case ranged:
			high, err = f.value(to, text)
		case !stepped:
			high = low
		}
		if err != nil {
			return 0, 0, 0, err
		}
		if low > high {
			return 0, 0, 0, fmt.Errorf("%s %q ends before it begins; write two ranges with a comma between them", f.name, text)
		}
	}
	if stepped {
		if step, err = strconv.Atoi(by); err != nil || step < 1 || step > f.most || by[0] == '+' {
			return 0, 0, 0, fmt.Errorf("%s %q has no step from 1 to %d after the slash", f.name, text, f.most)
		}
	}
	return low, high, step, nil
}

// value reads a number or a name.
func (f field) value(text, item string) (int, error) {
	for i, name := range f.names {
		if text == name || len(text) > 3 && strings.HasPrefix(longNames[name], text) {
			return f.least + i, nil
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || text[0] == '+' || text[0] == '-' {
		return 0, fmt.Errorf("%s %q is not understood: it must be *, a value from %d to %d, a range, a list or a step such as */5",
			f.name, item, f.least, f.most)
	}
	if n < f.least || n > f.most {
		return 0, fmt.Errorf("%s %q is out of range: it must be from %d to %d", f.name, item, f.least, f.most)
	}
	return n, nil
}

var longNames = map[string]string{
	"sun": "sunday", "mon": "monday", "tue": "tuesday", "wed": "wednesday", "thu": "thursday", "fri": "friday", "sat": "saturday",
	"jan": "january", "feb": "february", "mar": "march", "apr": "april", "may": "may", "jun": "june",
	"jul": "july", "aug": "august", "sep": "september", "oct": "october", "nov": "november", "dec": "december",
}
