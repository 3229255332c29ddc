package dates

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// presets maps names of formats to layouts of the time package.
var presets = map[string]string{
	"iso":      Timestamp,
	"rfc3339":  time.RFC3339,
	"date":     time.DateOnly,
	"time":     time.TimeOnly,
	"datetime": time.DateTime,
	"full":     "Monday, January 2, 2006 at 3:04:05 PM MST",
	"long":     "Monday, January 2, 2006 at 3:04 PM",
	"medium":   "Jan 2, 2006, 3:04 PM",
	"short":    "1/2/2006",
	"rfc1123":  time.RFC1123Z,
	"rfc2822":  time.RFC1123Z,
	"http":     "Mon, 02 Jan 2006 15:04:05 GMT",
	"weekday":  "Monday",
	"month":    "January",
	"year":     "2006",
}

// token is a run of letters in a pattern and its layout.
type token struct {
	name, layout string
	write        func(t time.Time) string // if there is no layout
}

// tokens lists the tokens of Moment, Day.js and Java, longest first.
var tokens = []token{
	{name: "YYYY", layout: "2006"}, {name: "yyyy", layout: "2006"}, {name: "MMMM", layout: "January"}, {name: "dddd", layout: "Monday"},
	{name: "EEEE", layout: "Monday"},
	{name: "DDDD", layout: "002"}, {name: "MMM", layout: "Jan"}, {name: "ddd", layout: "Mon"}, {name: "EEE", layout: "Mon"},
	{name: "SSS", write: milliseconds},
	{name: "YY", layout: "06"}, {name: "yy", layout: "06"}, {name: "MM", layout: "01"}, {name: "DD", layout: "02"}, {name: "dd", layout: "02"},
	{name: "Do", write: func(t time.Time) string { return withOrdinal(t.Day()) }},
	{name: "HH", layout: "15"}, {name: "hh", layout: "03"}, {name: "mm", layout: "04"}, {name: "ss", layout: "05"},
	{name: "ZZ", layout: "-0700"},
	{name: "WW", write: func(t time.Time) string { return fmt.Sprintf("%02d", weekOf(t)) }},
	{name: "M", layout: "1"}, {name: "D", layout: "2"}, {name: "d", layout: "2"}, {name: "h", layout: "3"}, {name: "m", layout: "4"},
	{name: "s", layout: "5"},
	{name: "H", write: func(t time.Time) string { return strconv.Itoa(t.Hour()) }},
	{name: "A", layout: "PM"}, {name: "a", layout: "pm"}, {name: "Z", layout: "-07:00"}, {name: "z", layout: "MST"},
	{name: "W", write: func(t time.Time) string { return strconv.Itoa(weekOf(t)) }},
	{name: "Q", write: func(t time.Time) string { return strconv.Itoa((int(t.Month())-1)/3 + 1) }},
	{name: "X", write: func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }},
	{name: "x", write: func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }},
	{name: "T", write: func(time.Time) string { return "T" }},
}

// strftimeTokens maps the letters after a percent sign, as in C and Python, to the
// equivalent tokens.
var strftimeTokens = map[byte]string{
	'Y': "YYYY", 'y': "YY", 'm': "MM", 'd': "DD", 'e': "D", 'H': "HH", 'I': "hh", 'M': "mm", 'S': "ss", 'p': "A", 'f': "SSS",
	'B': "MMMM", 'b': "MMM", 'h': "MMM", 'A': "dddd", 'a': "ddd", 'j': "DDDD", 'V': "WW", 'z': "ZZ", 'Z': "z", 's': "X",
	'F': "YYYY-MM-DD", 'T': "HH:mm:ss", 'R': "HH:mm", 'D': "MM/DD/YY",
}

func milliseconds(t time.Time) string {
	return fmt.Sprintf("%03d", t.Nanosecond()/int(time.Millisecond))
}

func weekOf(t time.Time) int {
	_, week := t.ISOWeek()
	return week
}

func withOrdinal(n int) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// Format formats t by a preset's name or a pattern.
func Format(t, now time.Time, format string) string {
	name := strings.ToLower(format)
	switch layout, ok := presets[name]; {
	case name == "http":
		return t.UTC().Format(layout)
	case ok:
		return t.Format(layout)
	case name == "unix":
		return strconv.FormatInt(t.Unix(), 10)
	case name == "relative":
		return relativeTo(t, now)
	case strings.ContainsRune(format, '%'):
		return strftime(t, format)
	}
	return formatPattern(t, format)
}

// formatPattern formats with a pattern such as YYYY-MM-DD. Text in brackets or quotes
// is kept, and so is a word that does not consist only of tokens.
func formatPattern(t time.Time, pattern string) string {
	var w strings.Builder
	for pattern != "" {
		switch c := pattern[0]; {
		case c == '[' || c == '\'':
			closing := map[byte]string{'[': "]", '\'': "'"}[c]
			inner, rest, ok := strings.Cut(pattern[1:], closing)
			if !ok {
				w.WriteByte(c)
				pattern = pattern[1:]
				continue
			}
			w.WriteString(inner)
			pattern = rest
		case isASCIILetter(c):
			end := 1
			for end < len(pattern) && isASCIILetter(pattern[end]) {
				end++
			}
			w.WriteString(formatWord(t, pattern[:end]))
			pattern = pattern[end:]
		default:
			w.WriteByte(c)
			pattern = pattern[1:]
		}
	}
	return w.String()
}

func isASCIILetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func formatWord(t time.Time, word string) string {
	var w strings.Builder
	for rest := word; rest != ""; {
		token, ok := tokenOf(rest)
		if !ok {
			return word
		}
		if token.write != nil {
			w.WriteString(token.write(t))
		} else {
			w.WriteString(t.Format(token.layout))
		}
		rest = rest[len(token.name):]
	}
	return w.String()
}

func tokenOf(text string) (token, bool) {
	for _, token := range tokens {
		if strings.HasPrefix(text, token.name) {
			return token, true
		}
	}
	return token{}, false
}

func strftime(t time.Time, format string) string {
	var w strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			w.WriteByte(format[i])
			continue
		}
		i++
		switch pattern, ok := strftimeTokens[format[i]]; {
		case ok:
			w.WriteString(formatPattern(t, pattern))
		case format[i] == '%':
			w.WriteByte('%')
		default:
			w.WriteString(format[i-1 : i+1])
		}
	}
	return w.String()
}

// relativeTo formats the distance of t from now, in the largest unit that fits.
func relativeTo(t, now time.Time) string {
	seconds := t.Unix() - now.Unix()
	distance := max(seconds, -seconds)
	for _, step := range []struct {
		name string
		size int64
	}{{"year", 31_557_600}, {"month", 2_629_800}, {"week", 7 * 86400}, {"day", 86400}, {"hour", 3600}, {"minute", 60}} {
		n := (distance + step.size/2) / step.size
		if distance < step.size {
			continue
		}
		name := step.name
		if n != 1 {
			name += "s"
		}
		if seconds < 0 {
			return fmt.Sprintf("%d %s ago", n, name)
		}
		return fmt.Sprintf("in %d %s", n, name)
	}
	return "now"
}
