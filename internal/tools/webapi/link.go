package webapi

import "strings"

// nextLink returns the target of the first link with the relation next in the values of
// Link headers (RFC 8288, section 3), empty if there is none. What cannot be parsed is
// skipped.
func nextLink(headers []string) string {
	for _, rest := range headers {
		for {
			_, after, found := strings.Cut(rest, "<")
			if !found {
				break
			}
			target, params, found := strings.Cut(after, ">")
			if !found {
				break
			}
			var next bool
			next, rest = hasNext(params)
			if next {
				return strings.TrimSpace(target)
			}
		}
	}
	return ""
}

// hasNext reads the parameters of one link, and reports whether the first rel among them
// holds next. It returns the text behind them.
func hasNext(params string) (next bool, rest string) {
	decided := false
	for {
		params = strings.TrimLeft(params, " \t")
		if params == "" || params[0] != ';' {
			return next, strings.TrimPrefix(params, ",")
		}
		var name, value string
		name, value, params = parameter(params[1:])
		if !decided && strings.EqualFold(name, "rel") {
			decided = true
			for relation := range strings.FieldsSeq(value) {
				next = next || strings.EqualFold(relation, "next")
			}
		}
	}
}

// parameter reads one parameter, NAME=VALUE or NAME="VALUE", and returns the text behind it.
func parameter(s string) (name, value, rest string) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		return strings.TrimSpace(s), "", ""
	}
	name = strings.TrimSpace(s[:end])
	if s[end] != '=' {
		return name, "", s[end:]
	}
	s = strings.TrimLeft(s[end+1:], " \t")
	if !strings.HasPrefix(s, `"`) {
		end = strings.IndexAny(s, ";,")
		if end < 0 {
			end = len(s)
		}
		return name, strings.TrimSpace(s[:end]), s[end:]
	}
	var w strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return name, w.String(), s[i+1:]
		case c == '\\' && i+1 < len(s):
			i++
			w.WriteByte(s[i])
		default:
			w.WriteByte(c)
		}
	}
	return name, w.String(), ""
}
