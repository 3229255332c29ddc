package schema

import (
	"maps"
	"net/url"
	"slices"
)

// maxChain is how many schemas may look at one value through one another. It
// keeps the stack of a validation small.
const maxChain = 100

// resolve connects every reference with the schema it points at and refuses
// references that would never come to an end. A schema that contains itself by
// way of properties or items is fine: each round consumes a level of the value.
func (g *gate) resolve() {
	order := slices.Sorted(maps.Keys(g.rules))
	shared := 0
	for _, at := range order {
		r := g.rules[at]
		if r.ref == "" {
			continue
		}
		target, err := url.PathUnescape(r.ref[1:])
		to, found := g.rules[target]
		if err != nil || !found {
			g.fail(pointer(at, "$ref"), "%q does not lead to a schema in this document", clip(r.ref))
			continue
		}
		if r.to = to; to.shared == 0 {
			shared++
			to.shared = shared
		}
	}
	c := chains{length: map[*rule]int{}}
	for _, at := range order {
		if n := c.from(g.rules[at]); n > maxChain {
			g.fail(at, "references lead back to the same schema, or through more than %d schemas, without looking deeper into the value", maxChain)
			return
		}
	}
}

// chains measures the longest way from a rule through schemas that look at the
// same value.
type chains struct{ length map[*rule]int }

// from returns the length of the way from r, or more than maxChain as soon as
// it is that long or comes back to r.
func (c chains) from(r *rule) int {
	if n, known := c.length[r]; known {
		return n
	}
	c.length[r] = maxChain + 1 // what a way that comes back here will see
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
