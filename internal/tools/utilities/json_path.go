package utilities

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/tool"
)

// maxPathLength bounds a path; the depth of what it leads through is bounded too.
const maxPathLength = 4096

// jsonAt returns the part of a value at a path such as items[0].id, $.items[-1]
// or ["a.b"].c. Items may also be counted as items.0.
func jsonAt(v jsontext.Value, path string) (jsontext.Value, error) {
	if len(path) > maxPathLength {
		return nil, tool.Fail(tool.ValidationError, "The path is longer than %d bytes.", maxPathLength)
	}
	rest := path
	if after, ok := strings.CutPrefix(path, "$"); ok && (after == "" || after[0] == '.' || after[0] == '[') {
		rest = after
	}
	at := ""
	for rest != "" {
		step, after, err := jsonPathStep(rest)
		if err != nil {
			return nil, tool.Fail(tool.ValidationError, "The path %q is not valid: %s; write paths like items[0].id.", jsonClip(path), err)
		}
		if v, err = jsonStep(v, step); err != nil {
			return nil, tool.Fail(tool.ValidationError, "There is nothing at the path %q: %s %s.", jsonClip(path), jsonPlace(at), err)
		}
		at, rest = path[:len(path)-len(after)], after
	}
	return v, nil
}

func jsonPlace(at string) string {
	if at == "" || at == "$" {
		return "the whole value"
	}
	return "the value at " + jsonClip(at)
}

// jsonPathStep cuts the first step, a name or a number, off a path.
func jsonPathStep(path string) (step, rest string, err error) {
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

// jsonStep goes one step down. Its error ends a sentence about v.
func jsonStep(v jsontext.Value, step string) (jsontext.Value, error) {
	switch v.Kind() {
	case '{':
		for _, m := range jsonMembers(v) {
			if m.name == step {
				return m.value, nil
			}
		}
		return nil, fmt.Errorf("has no member %q%s", jsonClip(step), jsonNames(v))
	case '[':
		items := jsonItems(v)
		i, err := strconv.Atoi(step)
		if err != nil {
			return nil, fmt.Errorf("is an array, which has no %q", jsonClip(step))
		}
		if i < 0 {
			i += len(items)
		}
		if i < 0 || i >= len(items) {
			return nil, fmt.Errorf("is an array of %d items, counted from 0", len(items))
		}
		return items[i], nil
	default:
		return nil, fmt.Errorf("is of type %s, which has no parts", jsonKind(v))
	}
}

// jsonNames lists some names of an object, so that a model can choose.
func jsonNames(object jsontext.Value) string {
	const most = 10
	var names []string
	for _, m := range jsonMembers(object) {
		if len(names) == most {
			names = append(names, "...")
			break
		}
		names = append(names, jsonClip(m.name))
	}
	if names == nil {
		return ""
	}
	return ", only " + strings.Join(names, ", ")
}

// jsonPathName writes a member's name as a step that [jsonAt] reads as that name.
func jsonPathName(name string) string {
	switch {
	case name != "" && name != "$" && !strings.ContainsAny(name, ".[]"):
		return name
	case strings.Contains(name, `"]`):
		return "['" + name + "']"
	default:
		return `["` + name + `"]`
	}
}

func jsonCount(n int) jsontext.Value { return strconv.AppendInt(nil, int64(n), 10) }
