package dynamictools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// item is one element of the list, undecoded: the schema checks its type.
type item struct{ written json.RawMessage }

// UnmarshalJSON stores the bytes.
func (i *item) UnmarshalJSON(text []byte) error {
	i.written = slices.Clone(text)
	return nil
}

// mostNotes is the maximum number of notes for one item.
const mostNotes = 5

// itemForm describes the form of an item in error messages.
type itemForm struct{ list, tool, arguments string }

var (
	callForm      = itemForm{"calls", "tool_name", "arguments"}
	operationForm = itemForm{"operations", "tool", "args"}
)

// asked is a parsed item of a batch.
type asked struct {
	call    tool.InnerCall // "" if the item names none
	ignored []string       // unknown members
	wrong   error          // the reason why the item is not a valid call
}

// read parses an item. The batch does not enforce the items' schema, so that a wrong
// item fails alone. The call itself checks the arguments.
func (f itemForm) read(item json.RawMessage) asked {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(item, &members); err != nil || members == nil {
		return asked{
			wrong: tool.Fail(tool.ValidationError, "expected object, got %s; write {\"%s\": …, \"%s\": {…}}", kindOf(item), f.tool, f.arguments),
		}
	}
	var a asked
	a.call.Tool, a.wrong = f.name(members[f.tool])
	a.call.Arguments = unfolded(members[f.arguments])
	delete(members, f.tool)
	delete(members, f.arguments)
	a.ignored = slices.Sorted(maps.Keys(members))
	return a
}

// metadata returns the metadata of the call's result, with the ignored members of the
// item.
func (a asked) metadata(ofCall map[string]any) map[string]any {
	if len(a.ignored) == 0 {
		return ofCall
	}
	merged := maps.Clone(ofCall)
	if merged == nil {
		merged = map[string]any{}
	}
	byCall, _ := merged["ignored"].([]string)
	merged["ignored"] = slices.Concat(a.ignored, byCall)
	return merged
}

// notes returns the notes of the call's result, with a note about ignored members.
func (a asked) notes(ofCall []string) []string {
	var all []string
	for _, name := range a.ignored {
		all = append(all, "'"+name+"' is no part of an item and was ignored")
	}
	all = append(all, ofCall...)
	return all[:min(len(all), mostNotes)]
}

func (f itemForm) name(value json.RawMessage) (string, error) {
	if value == nil {
		return "", tool.Fail(tool.ValidationError, "missing required parameter '%s'", f.tool)
	}
	var name *string
	if err := json.Unmarshal(value, &name); err != nil || name == nil {
		return "", tool.Fail(tool.ValidationError, "%s: expected string, got %s", f.tool, kindOf(value))
	}
	switch n := utf8.RuneCountInString(*name); {
	case n == 0:
		return "", tool.Fail(tool.ValidationError, "%s: must have at least 1 character", f.tool)
	case n > tool.MaxNameLength:
		return "", tool.Fail(tool.ValidationError, "%s: must have at most %d characters", f.tool, tool.MaxNameLength)
	}
	return *name, nil
}

// unfolded returns arguments as an object if they are missing or a string that contains
// an object, as models write them. It returns anything else unchanged, and the call
// refuses it.
func unfolded(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("{}")
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	if inside := strings.TrimSpace(text); strings.HasPrefix(inside, "{") && json.Valid([]byte(inside)) {
		return json.RawMessage(inside)
	}
	return value
}

// kindOf returns the JSON type of a value.
func kindOf(value json.RawMessage) string {
	var v any
	_ = json.Unmarshal(value, &v) // the batch was valid JSON
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	}
	return "number"
}
