package personaldata

import (
	"errors"
	"fmt"
	"strings"

	"github.com/emersion/go-ical"
)

// propertyOf parses a content line (RFC 5545 3.1). The library's own parser panics on some
// lines and takes quadratic time for others.
func propertyOf(line string) (*ical.Prop, error) {
	end := strings.IndexAny(line, ";:")
	if end <= 0 {
		return nil, errors.New("it is no property with a name and a value")
	}
	p := &ical.Prop{Name: strings.ToUpper(strings.TrimSpace(line[:end])), Params: ical.Params{}}
	for rest := line[end:]; rest != ""; {
		if rest[0] == ':' {
			p.Value = rest[1:]
			return p, nil
		}
		name, after, ok := strings.Cut(rest[1:], "=")
		if !ok || strings.ContainsAny(name, ":;\"") {
			return nil, fmt.Errorf("a parameter of %.40s has no value", p.Name)
		}
		var values []string
		values, rest = parameterValues(after)
		name = strings.ToUpper(strings.TrimSpace(name))
		p.Params[name] = append(p.Params[name], values...)
	}
	return nil, fmt.Errorf("%.40s has no value after a colon", p.Name)
}

// parameterValues returns the values of a parameter, and the text after them: empty, or with
// a colon or a semicolon at its beginning.
func parameterValues(text string) (values []string, rest string) {
	for {
		if quoted, ok := strings.CutPrefix(text, `"`); ok {
			value, after, _ := strings.Cut(quoted, `"`)
			values, text = append(values, value), after
		} else {
			end := strings.IndexAny(text, ",;:")
			if end < 0 {
				return append(values, text), ""
			}
			values, text = append(values, text[:end]), text[end:]
		}
		next := strings.IndexAny(text, ",;:") // after a quotation mark nothing else may stand
		if next < 0 {
			return values, ""
		}
		if text[next] != ',' {
			return values, text[next:]
		}
		text = text[next+1:]
	}
}

// componentFrom parses the lines of a component. Lines that cannot be parsed are left out,
// unless they are of a property in needed.
func componentFrom(name string, lines []contentLine, needed map[string]bool) (*ical.Component, error) {
	top := ical.NewComponent(name)
	open := []*ical.Component{top}
	for _, line := range lines {
		inner := open[len(open)-1]
		if begins, part, ok := boundary(line.text); ok {
			if begins {
				child := ical.NewComponent(part)
				inner.Children = append(inner.Children, child)
				open = append(open, child)
			} else if len(open) > 1 {
				open = open[:len(open)-1]
			}
			continue
		}
		p, err := propertyOf(line.text)
		if err != nil {
			if at := strings.IndexAny(line.text, ";:"); inner == top && needed[strings.ToUpper(strings.TrimSpace(line.text[:max(at, 0)]))] {
				return nil, fmt.Errorf("line %d: %w", line.number, err)
			}
			continue
		}
		inner.Props.Add(p)
	}
	return top, nil
}
