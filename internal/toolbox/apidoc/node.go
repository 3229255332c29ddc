package apidoc

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pb33f/go-yaml"
)

// node is a value of a document, which may be JSON or YAML.
type node = yaml.Node

// follow returns the value of an alias.
func follow(n *node) *node {
	for range maxDepth {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// mergeTag is the type of the key << of YAML, which merges the members of another mapping.
const mergeTag = "!!merge"

// field returns a member of a mapping; nil if there is none.
func field(n *node, name string) *node { return fieldAt(n, name, 0) }

func fieldAt(n *node, name string, depth int) *node {
	n = follow(n)
	if n == nil || n.Kind != yaml.MappingNode || depth > maxDepth {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return follow(n.Content[i+1])
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag == mergeTag {
			for _, from := range merged(n.Content[i+1]) {
				if found := fieldAt(from, name, depth+1); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// merged returns the mappings that a merge key names.
func merged(n *node) []*node {
	if n = follow(n); n != nil && n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*node{n}
}

// members calls each for the members of a mapping, at most maxWide, until it returns false.
func members(n *node, each func(name string, value *node) bool) {
	membersUpTo(maxWide, n, each)
}

func membersUpTo(most int, n *node, each func(name string, value *node) bool) {
	seen := map[string]bool{}
	membersAt(n, 0, func(name string, value *node) bool {
		if seen[name] {
			return true
		}
		seen[name] = true
		return each(name, value) && len(seen) < most
	})
}

func membersAt(n *node, depth int, each func(name string, value *node) bool) bool {
	n = follow(n)
	if n == nil || n.Kind != yaml.MappingNode || depth > maxDepth {
		return true
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != mergeTag && !each(n.Content[i].Value, follow(n.Content[i+1])) {
			return false
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != mergeTag {
			continue
		}
		for _, from := range merged(n.Content[i+1]) {
			if !membersAt(from, depth+1, each) {
				return false
			}
		}
	}
	return true
}

// items returns the items of a list, at most maxWide.
func items(n *node) []*node {
	if n = follow(n); n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content[:min(len(n.Content), maxWide)]
}

// text returns a scalar as it is written, "" for anything else.
func text(n *node) string {
	if n = follow(n); n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// truth returns whether a scalar is true.
func truth(n *node) bool {
	n = follow(n)
	return n != nil && n.Kind == yaml.ScalarNode && n.Tag == "!!bool" && strings.EqualFold(n.Value, "true")
}

// number returns a scalar as a JSON number.
func number(n *node) (json.Number, bool) {
	if n = follow(n); n == nil || n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" {
		return "", false
	}
	if isJSONNumber(n.Value) {
		return json.Number(n.Value), true
	}
	if v, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil {
		return json.Number(strconv.FormatInt(v, 10)), true
	}
	if v, err := strconv.ParseFloat(strings.TrimPrefix(n.Value, "+"), 64); err == nil && v-v == 0 { // finite
		return json.Number(strconv.FormatFloat(v, 'g', -1, 64)), true
	}
	return "", false
}

func isJSONNumber(s string) bool {
	const longest = 40 // package schema refuses longer ones
	return len(s) <= longest && s != "" && strings.Trim(s[:1], "-0123456789") == "" && json.Valid([]byte(s))
}

// value returns a value of a document as package encoding/json would, with numbers as
// [json.Number]; ok is false for a value that JSON does not have, or that is too large.
func value(n *node, budget *int) (v any, ok bool) {
	n = follow(n)
	if *budget--; n == nil || *budget < 0 {
		return nil, false
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return scalar(n)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			v, ok := value(item, budget)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case yaml.MappingNode:
		object, ok := map[string]any{}, true
		members(n, func(name string, member *node) bool {
			object[name], ok = value(member, budget)
			return ok
		})
		return object, ok
	default:
		return nil, false
	}
}

func scalar(n *node) (any, bool) {
	switch n.Tag {
	case "!!null":
		return nil, true
	case "!!bool":
		return truth(n), true
	case "!!int", "!!float":
		v, ok := number(n)
		return v, ok
	}
	return n.Value, true
}
