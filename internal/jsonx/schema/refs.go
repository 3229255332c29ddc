package schema

import (
	"maps"
	"net/url"
	"slices"
)

// maxChain is the number of schemas that may apply to one value through one another. It
// keeps the stack of a validation small.
const maxChain = 100

// resolve connects every reference with its target and refuses references that form an
// endless loop. A schema that contains itself through properties or items is valid: each
// round consumes a level of the value.
func (c *compiler) resolve() {
	order := slices.Sorted(maps.Keys(c.rules))
	shared := 0
	for _, at := range order {
		r := c.rules[at]
		if r.ref == "" {
			continue
		}
		target, err := url.PathUnescape(r.ref[1:])
		to, found := c.rules[target]
		if err != nil || !found {
			c.fail(pointer(at, "$ref"), "%q does not lead to a schema in this document", clip(r.ref))
			continue
		}
		if r.to = to; to.shared == 0 {
			shared++
			to.shared = shared
		}
	}
	ch := chains{length: map[*rule]int{}}
	for _, at := range order {
		if n := ch.from(c.rules[at]); n > maxChain {
			c.fail(at, "references lead back to the same schema, or through more than %d schemas, without looking deeper into the value", maxChain)
			return
		}
	}
}

// chains measures the longest path from a rule through schemas that apply to the same
// value.
type chains struct{ length map[*rule]int }

// from returns the length of the path from r, or more than maxChain if the path is longer
// or returns to r.
func (c chains) from(r *rule) int {
	if n, known := c.length[r]; known {
		return n
	}
	c.length[r] = maxChain + 1 // the length for a path that returns here
	longest := 0
	if r.to != nil {
		longest = c.from(r.to)
	} else {
		for _, sub := range r.inPlace {
			longest = max(longest, c.from(sub))
		}
	}
	c.length[r] = min(longest, maxChain) + 1
	return c.length[r]
}
