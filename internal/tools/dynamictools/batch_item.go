package dynamictools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// item is one of a list as it was written: what its type says is for the schema.
type item struct{ written json.RawMessage }

// UnmarshalJSON keeps it.
func (i *item) UnmarshalJSON(text []byte) error {
	i.written = slices.Clone(text)
	return nil
}

// itemForm is how the items of a list are written.
type itemForm struct{ list, tool, arguments string }

var (
	callForm      = itemForm{"calls", "tool_name", "arguments"}
	operationForm = itemForm{"operations", "tool", "args"}
)

// asked is an item of a batch as it was understood.
type asked struct {
	call    tool.InnerCall // without a tool where the item names none
	ignored []string       // members that nobody asked for
	wrong   error          // why it cannot be a call of any tool
}

// read understands an item. The schema is not enforced, so that a wrong one is its own
// failure and not that of the batch. What the arguments hold is left to
// the call, which refuses them as every call does.
func (f itemForm) read(item json.RawMessage) asked {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(item, &members); err != nil || members == nil {
		return asked{wrong: tool.Fail(tool.ValidationError, "expected object, got %s; write {\"%s\": …, \"%s\": {…}}", kindOf(item), f.tool, f.arguments)}
	}
	var a asked
	a.call.Tool, a.wrong = f.name(members[f.tool])
	a.call.Arguments = unfolded(members[f.arguments])
	delete(members, f.tool)
	delete(members, f.arguments)
	a.ignored = slices.Sorted(maps.Keys(members))
	return a
}

// metadata is that of the call's result and what was left out of the item itself.
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

// unfolded are arguments as an object where they were left out, or written as a
// string that holds one, as models do. Anything else stays for the call to refuse.
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

// kindOf is what JSON calls a value.
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
