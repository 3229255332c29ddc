package jsonvalue

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxPathLength limits a path; the depth of the value is limited too.
const maxPathLength = 4096

// At returns the part of a value at a path such as items[0].id, $.items[-1] or
// ["a.b"].c. Items may also be written as items.0.
func At(v jsontext.Value, path string) (jsontext.Value, error) {
	if len(path) > maxPathLength {
		return nil, tool.Fail(tool.ValidationError, "The path is longer than %d bytes.", maxPathLength)
	}
	rest := path
	if after, ok := strings.CutPrefix(path, "$"); ok && (after == "" || after[0] == '.' || after[0] == '[') {
		rest = after
	}
	at := ""
	for rest != "" {
		step, after, err := cutStep(rest)
		if err != nil {
			return nil, tool.Fail(tool.ValidationError, "The path %q is not valid: %s; write paths like items[0].id.",
				textcut.Excerpt(path, longestEcho), err)
		}
		if v, err = down(v, step); err != nil {
			return nil, tool.Fail(tool.ValidationError, "There is nothing at the path %q: %s %s.",
				textcut.Excerpt(path, longestEcho), place(at), err)
		}
		at, rest = path[:len(path)-len(after)], after
	}
	return v, nil
}

func place(at string) string {
	if at == "" || at == "$" {
		return "the whole value"
	}
	return "the value at " + textcut.Excerpt(at, longestEcho)
}

// cutStep cuts the first step, a name or a number, off a path.
func cutStep(path string) (step, rest string, err error) {
	if path[0] != '[' {
		path = strings.TrimPrefix(path, ".")
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		if end == 0 {
			return "", "", errors.New("a name is missing")
		}
		return path[:end], path[end:], nil
	}
	inner := path[1:]
	if inner != "" && (inner[0] == '"' || inner[0] == '\'') {
		name, rest, ok := strings.Cut(inner[1:], inner[:1]+"]")
		if !ok {
			return "", "", fmt.Errorf("a quoted name does not end in %s]", inner[:1])
		}
		return name, rest, nil
	}
	step, rest, ok := strings.Cut(inner, "]")
	if !ok || step == "" {
		return "", "", errors.New("a bracket is empty or not closed")
	}
	return step, rest, nil
}

// down descends one step. Its error completes a sentence about v.
func down(v jsontext.Value, step string) (jsontext.Value, error) {
	switch v.Kind() {
	case '{':
		for _, m := range jsonwalk.Members(v) {
			if m.Name == step {
				return m.Value, nil
			}
		}
		return nil, fmt.Errorf("has no member %q%s", textcut.Excerpt(step, longestEcho), names(v))
	case '[':
		items := jsonwalk.Items(v)
		i, err := strconv.Atoi(step)
		if err != nil {
			return nil, fmt.Errorf("is an array, which has no %q", textcut.Excerpt(step, longestEcho))
		}
		if i < 0 {
			i += len(items)
		}
		if i < 0 || i >= len(items) {
			return nil, fmt.Errorf("is an array of %d items, counted from 0", len(items))
		}
		return items[i], nil
	default:
		return nil, fmt.Errorf("is of type %s, which has no parts", jsonwalk.Kind(v))
	}
}

// names lists some names of an object, so that a model can choose.
func names(object jsontext.Value) string {
	const most = 10
	var names []string
	for _, m := range jsonwalk.Members(object) {
		if len(names) == most {
			names = append(names, "...")
			break
		}
		names = append(names, textcut.Excerpt(m.Name, longestEcho))
	}
	if names == nil {
		return ""
	}
	return ", only " + strings.Join(names, ", ")
}

// pathName returns a member's name as a step of a path for [At].
func pathName(name string) string {
	switch {
	case name != "" && name != "$" && !strings.ContainsAny(name, ".[]"):
		return name
	case strings.Contains(name, `"]`):
		return "['" + name + "']"
	default:
		return `["` + name + `"]`
	}
}
