package utilities

import "context"

// exactWork bounds the steps of a comparison that is exact, coarsePatience the
// search for the best way from one point after which a good one will do.
const (
	exactWork      = 1 << 25
	coarsePatience = 64
)

// A differ finds what two sequences have in common, by the algorithm of Myers in
// linear space. Units are numbered, equal ones alike. On long sequences that differ
// a lot it gives up on the longest common part and takes a long one, as git does, so
// that its time grows with the length of the sequences only.
type differ struct {
	a, b     []int32
	removed  []bool // of a: not in common
	added    []bool // of b: not in common
	ahead    []int  // where the ways from the start have come to, by diagonal
	behind   []int  // the same of those from the end
	patience int
	coarse   bool // the common part may not be the longest
}

// diffUnits compares a with b.
func diffUnits(ctx context.Context, a, b []string) (*differ, error) {
	return diffPatiently(ctx, a, b, max(coarsePatience, exactWork/(len(a)+len(b)+1)))
}

// diffPatiently compares a with b, and looks for the best way from a point for that
// many changes.
func diffPatiently(ctx context.Context, a, b []string, patience int) (*differ, error) {
	d := &differ{patience: patience, removed: make([]bool, len(a)), added: make([]bool, len(b))}
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
	// What only one side has is in no common part; without it most comparisons are
	// short.
	inA, inB := make([]bool, len(numbers)), make([]bool, len(numbers))
	mark(inA, allA)
	mark(inB, allB)
	var fromA, fromB []int
	d.a, fromA = shared(allA, inB)
	d.b, fromB = shared(allB, inA)
	removed, added := d.removed, d.added
	d.removed, d.added = make([]bool, len(d.a)), make([]bool, len(d.b))
	size := len(d.a) + len(d.b)
	d.ahead, d.behind = make([]int, size+3), make([]int, size+3)
	err := d.compare(ctx, 0, len(d.a), 0, len(d.b))
	d.removed, d.added = spread(removed, d.removed, fromA), spread(added, d.added, fromB)
	return d, err
}

func mark(there []bool, ids []int32) {
	for _, id := range ids {
		there[id] = true
	}
}

// shared keeps of ids what the other side has, with the places it was at.
func shared(ids []int32, other []bool) (kept []int32, from []int) {
	for i, id := range ids {
		if other[id] {
			kept = append(kept, id)
			from = append(from, i)
		}
	}
	return kept, from
}

// spread marks all but the places in from, and those as part says.
func spread(whole, part []bool, from []int) []bool {
	for i := range whole {
		whole[i] = true
	}
	for i, at := range from {
		whole[at] = part[i]
	}
	return whole
}

// compare marks what a[aLow:aHigh] and b[bLow:bHigh] have not in common.
func (d *differ) compare(ctx context.Context, aLow, aHigh, bLow, bHigh int) error {
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
			fill(d.removed[aLow:aHigh])
			fill(d.added[bLow:bHigh])
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
