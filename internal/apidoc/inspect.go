package apidoc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pb33f/go-yaml"
)

// inspect walks through a whole document, with aliases expanded, and refuses it if it is
// too large or too deep, has a member twice, or refers to anything outside.
func inspect(top *node) error {
	left := maxNodes
	return inspectAt(top, 0, &left)
}

func inspectAt(n *node, depth int, left *int) error {
	if depth > maxDepth {
		return fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	if *left--; *left < 0 {
		return fmt.Errorf("it has more than %d values, with its aliases expanded", maxNodes)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return inspectAt(n.Alias, depth+1, left)
	case yaml.MappingNode:
		return inspectMembers(n, depth, left)
	default:
		for _, item := range n.Content {
			if err := inspectAt(item, depth+1, left); err != nil {
				return err
			}
		}
		return nil
	}
}

func inspectMembers(n *node, depth int, left *int) error {
	if name, twice := duplicate(n); twice {
		return fmt.Errorf("the member %s is there twice (line %d)", clip(name), n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, member := n.Content[i].Value, n.Content[i+1]
		if ref := text(member); name == "$ref" && ref != "" && !strings.HasPrefix(ref, "#") {
			return outside(ref)
		}
		if isData(name) {
			continue
		}
		if err := inspectAt(member, depth+1, left); err != nil {
			return err
		}
	}
	return nil
}

// isData reports whether a member holds data of the API, in which $ref is no reference. A
// property of such a name is looked through when its schema is used.
func isData(name string) bool {
	switch name {
	case "example", "examples", "default", "enum", "const":
		return true
	}
	return strings.HasPrefix(name, "x-")
}

var errOutside = errors.New("only references that begin with # are followed, so bundle the document into one file")

func outside(ref string) error {
	return fmt.Errorf("the reference %s leads out of the document; %w", clip(ref), errOutside)
}

// duplicate returns a name that two members of a mapping have.
func duplicate(n *node) (name string, twice bool) {
	const few = 16
	if len(n.Content) <= 2*few {
		for i := 0; i < len(n.Content); i += 2 {
			for j := 0; j < i; j += 2 {
				if n.Content[i].Value == n.Content[j].Value {
					return n.Content[i].Value, true
				}
			}
		}
		return "", false
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		if seen[n.Content[i].Value] {
			return n.Content[i].Value, true
		}
		seen[n.Content[i].Value] = true
	}
	return "", false
}
