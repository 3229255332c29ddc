package textdiff

import "context"

// exactWork limits the steps of an exact comparison; coarsePatience limits the search
// for the best path from one point, after which a good one is used.
const (
	exactWork      = 1 << 25
	coarsePatience = 64
)

// Diff is the common part of two sequences, found with Myers' algorithm in linear
// space. Units are numbered, equal units alike. On long sequences that differ a lot the
// search accepts a long common part instead of the longest, as git does, so that its
// time grows only with the length of the sequences.
type Diff struct {
	a, b     []int32
	Removed  []bool // of a: not in the common part
	Added    []bool // of b: not in the common part
	ahead    []int  // furthest points from the start, by diagonal
	behind   []int  // furthest points from the end
	patience int
	Coarse   bool // the common part may not be the longest
}

// Units compares a with b.
func Units(ctx context.Context, a, b []string) (*Diff, error) {
	return patiently(ctx, a, b, max(coarsePatience, exactWork/(len(a)+len(b)+1)))
}

// patiently compares a with b, and searches for the best path from a point for this
// many changes.
func patiently(ctx context.Context, a, b []string, patience int) (*Diff, error) {
	d := &Diff{patience: patience, Removed: make([]bool, len(a)), Added: make([]bool, len(b))}
	numbers := map[string]int32{}
	number := func(units []string) []int32 {
		ids := make([]int32, len(units))
		for i, unit := range units {
			id, known := numbers[unit]
			if !known {
				id = int32(len(numbers))
				numbers[unit] = id
			}
			ids[i] = id
		}
		return ids
	}
	allA, allB := number(a), number(b)
	// Units that only one side has are in no common part; without them most comparisons
	// are short.
	inA, inB := make([]bool, len(numbers)), make([]bool, len(numbers))
	mark(inA, allA)
	mark(inB, allB)
	var fromA, fromB []int
	d.a, fromA = shared(allA, inB)
	d.b, fromB = shared(allB, inA)
	removed, added := d.Removed, d.Added
	d.Removed, d.Added = make([]bool, len(d.a)), make([]bool, len(d.b))
	size := len(d.a) + len(d.b)
	d.ahead, d.behind = make([]int, size+3), make([]int, size+3)
	err := d.compare(ctx, 0, len(d.a), 0, len(d.b))
	d.Removed, d.Added = spread(removed, d.Removed, fromA), spread(added, d.Added, fromB)
	return d, err
}

func mark(there []bool, ids []int32) {
	for _, id := range ids {
		there[id] = true
	}
}

// shared keeps those of ids that the other side has, with their positions.
func shared(ids []int32, other []bool) (kept []int32, from []int) {
	for i, id := range ids {
		if other[id] {
			kept = append(kept, id)
			from = append(from, i)
		}
	}
	return kept, from
}

// spread marks everything except the positions in from, and those as part does.
func spread(whole, part []bool, from []int) []bool {
	for i := range whole {
		whole[i] = true
	}
	for i, at := range from {
		whole[at] = part[i]
	}
	return whole
}

// compare marks the units of a[aLow:aHigh] and b[bLow:bHigh] that are not in the common
// part.
func (d *Diff) compare(ctx context.Context, aLow, aHigh, bLow, bHigh int) error {
	for {
		for aLow < aHigh && bLow < bHigh && d.a[aLow] == d.b[bLow] {
			aLow++
			bLow++
		}
		for aLow < aHigh && bLow < bHigh && d.a[aHigh-1] == d.b[bHigh-1] {
			aHigh--
			bHigh--
		}
		if aLow == aHigh || bLow == bHigh {
			fill(d.Removed[aLow:aHigh])
			fill(d.Added[bLow:bHigh])
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s := d.search(d.a[aLow:aHigh], d.b[bLow:bHigh])
		x, y := s.middle(d)
		if err := d.compare(ctx, aLow, aLow+x, bLow, bLow+y); err != nil {
			return err
		}
		aLow += x
		bLow += y
	}
}

func fill(marks []bool) {
	for i := range marks {
		marks[i] = true
	}
}
