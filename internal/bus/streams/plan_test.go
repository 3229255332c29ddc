package streams

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// store is the storage of the servers of a cluster, each with a copy of each stream: what
// JetStream compares when a stream is resized.
type store struct{ servers []int64 }

func (s store) fits(storage int64) bool {
	for _, bytes := range s.servers {
		if storage > bytes {
			return false
		}
	}
	return true
}

// planOn returns the bounds after a process has planned on a store, from bounds that are there.
func planOn(t *testing.T, s store, all []demand, is map[string]int64) (map[string]int64, int) {
	t.Helper()
	steps := rungs(needed(all))
	asked := 0
	at, err := highest(steps, reached(steps, all, is), func(storage int64) (bool, error) {
		asked++
		return s.fits(storage), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if at < 0 {
		return nil, asked
	}
	bytes, err := divide(steps[at], all)
	if err != nil {
		t.Fatal(err)
	}
	return bytes, asked
}

const giga, mebibyte = 1_000_000_000, 1 << 20

// TestPlan plans on servers of each size, alone and three together, with what machines of
// different sizes and settings ask for: the bounds are those of the table, they fit, and a
// second process and a second start find the same.
func TestPlan(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"no setting": {},
		"settings":   {ResultsMaxBytes: 64 * mebibyte, AuditMaxBytes: 100 * mebibyte},
		"too much":   {AuditMaxBytes: 1 << 50},
	} {
		all := o.demands()
		least, most := needed(all)
		for _, size := range []int64{giga, 2 * giga, 4 * giga, 10 * giga, 40 * giga, math.MaxInt64} {
			for _, servers := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s/%d GB/%d servers", name, size/giga, servers), func(t *testing.T) {
					s := store{}
					for range servers {
						s.servers = append(s.servers, size)
					}
					bytes, _ := planOn(t, s, all, nil)
					sum, shared, free := int64(0), int64(0), min(size, most)
					for _, d := range all {
						got := bytes[d.stream]
						if sum += got; got < d.floor() || got > d.wanted {
							t.Errorf("%s gets %d bytes, want %d to %d", d.stream, got, d.floor(), d.wanted)
						}
						if d.chosen && most < size && got != d.wanted {
							t.Errorf("%s gets %d bytes, want the %d of its setting", d.stream, got, d.wanted)
						}
						if !d.chosen {
							shared += got
						} else {
							free -= got
						}
					}
					if sum > size || shared > free/freePart {
						t.Errorf("of %d bytes %d are set aside, %d of them shared: want half of the rest free", size, sum, shared)
					}
					if name == "no setting" {
						results, once := bytes[Results], bytes[Once]
						if results < min(size/6, most/8) || once < results/3 || once > results {
							t.Errorf("results get %d bytes and once-only records %d, want a sixth of %d and half of that", results, once, size)
						}
					}
					again, asked := planOn(t, s, all, bytes)
					if fmt.Sprint(again) != fmt.Sprint(bytes) || asked > 1 {
						t.Errorf("a second start plans %v with %d questions, want %v with one at most", again, asked, bytes)
					}
				})
			}
		}
		if bytes, _ := planOn(t, store{[]int64{least - 1}}, all, nil); bytes != nil {
			t.Errorf("%s: on %d bytes the plan is %v, want none", name, least-1, bytes)
		}
		if bytes, _ := planOn(t, store{[]int64{least}}, all, nil); bytes == nil {
			t.Errorf("%s: on %d bytes, the least, there is no plan", name, least)
		}
	}
	if _, err := divide(1, Options{}.demands()); !errors.Is(err, errRoom) {
		t.Errorf("on one byte the plan fails with %v, want errRoom", err)
	}
}

// TestPlanGrows: a server that was small, or joins late, holds the others down until it has
// room; then the bounds are those of a start with that room.
func TestPlanGrows(t *testing.T) {
	t.Parallel()
	all := Options{}.demands()
	sizes := []int64{giga, 2 * giga, 4 * giga, 10 * giga, 40 * giga, math.MaxInt64}
	for i, small := range sizes {
		for _, large := range sizes[i:] {
			before, _ := planOn(t, store{[]int64{large, small, large}}, all, nil)
			alone, _ := planOn(t, store{[]int64{small}}, all, nil)
			grown, _ := planOn(t, store{[]int64{large, large, large}}, all, before)
			fresh, _ := planOn(t, store{[]int64{large}}, all, nil)
			if fmt.Sprint(before) != fmt.Sprint(alone) || fmt.Sprint(grown) != fmt.Sprint(fresh) {
				t.Errorf("%d beside %d: %v, then %v; want %v, then %v", small, large, before, grown, alone, fresh)
			}
		}
	}
}

// TestPlanMendsUnlikeBounds: bounds that an earlier version has halved for one stream, down to
// next to nothing, are those of a new start again.
func TestPlanMendsUnlikeBounds(t *testing.T) {
	t.Parallel()
	all := Options{}.demands()
	is := map[string]int64{Results: mebibyte, Once: 2 << 30, Callbacks: 1 << 30, Dead: 256 * mebibyte}
	s := store{[]int64{4 * giga}}
	got, _ := planOn(t, s, all, is)
	if want, _ := planOn(t, s, all, nil); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the plan is %v, want %v", got, want)
	}
}
