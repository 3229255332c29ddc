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
	i := inspection{left: maxNodes}
	return i.value(top, 0, false)
}

// inspection counts the values that may still be walked through.
type inspection struct{ left int }

// value inspects a value. In the data of the API only its size counts: $ref is no reference
// there. It is counted all the same, because a reference may lead to it.
func (i *inspection) value(n *node, depth int, data bool) error {
	if depth > maxDepth {
		return fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	if i.left--; i.left < 0 {
		return fmt.Errorf("it has more than %d values, with its aliases expanded", maxNodes)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return i.value(n.Alias, depth+1, data)
	case yaml.MappingNode:
		return i.members(n, depth, data)
	default:
		for _, item := range n.Content {
			if err := i.value(item, depth+1, data); err != nil {
				return err
			}
		}
		return nil
	}
}

func (i *inspection) members(n *node, depth int, data bool) error {
	if len(n.Content) > 2*maxLookup {
		return fmt.Errorf("it has an object with more than %d members (line %d)", maxLookup, n.Line)
	}
	if name, twice := duplicate(n); twice && !data {
		return fmt.Errorf("the member %s is there twice (line %d)", clip(name), n.Line)
	}
	for at := 0; at+1 < len(n.Content); at += 2 {
		name, member := n.Content[at].Value, n.Content[at+1]
		if ref := text(member); !data && name == "$ref" && ref != "" && !strings.HasPrefix(ref, "#") {
			return outside(ref)
		}
		if err := i.value(member, depth+1, data || isData(name)); err != nil {
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
