package index

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/audit"
)

const (
	// lookBack is the number of messages before a page in which a first copy is
	// searched. The second follows within seconds, or when the worker of the call was
	// found to be lost.
	lookBack = 1 << 14
	// lookAtOnce is the number of calls that one statement looks up.
	lookAtOnce = 100
)

// before returns the last records on earlier pages, which end with the place to, of the
// calls whose last records are on this page; nil if there are none.
func (s *search) before(ctx context.Context, to place, p *audit.Page) (*audit.Page, error) {
	if to <= 0 {
		return nil, nil
	}
	calls, finals := map[string]bool{}, map[string]bool{}
	for i := range p.Records {
		if id := audit.FinalOf(&p.Records[i]); id != "" {
			calls[p.Records[i].CallID], finals[id] = true, true
		}
	}
	places, err := s.callPlaces(ctx, calls, max(firstIn(to.seq()-min(to.seq(), lookBack)), s.kept), to)
	if err != nil {
		return nil, err
	}
	before := new(audit.Page)
	for _, at := range places {
		r, err := s.records.ceil(ctx, at)
		if err != nil {
			return nil, err
		}
		if r == nil || r.at != at || !s.matches(r) {
			continue
		}
		if shown := r.show(s.tenant); finals[audit.FinalOf(&shown)] {
			before.Records, before.Stored = append(before.Records, shown), append(before.Stored, slices.Clone(r.data))
		}
	}
	if len(before.Records) == 0 {
		return nil, nil
	}
	return before, nil
}

// callPlaces returns the places in a range of records of any of the calls, in order;
// and of some others, if their hashes collide.
func (s *search) callPlaces(ctx context.Context, calls map[string]bool, from, to place) (places []place, err error) {
	if len(calls) == 0 {
		return nil, nil
	}
	var hashes []int64
	for id := range calls {
		hashes = append(hashes, s.hasher.hash(call, []byte(id)))
	}
	segments := slices.DeleteFunc(slices.Clone(s.segments), func(g segment) bool { return g.last < from || g.first > to })
	for some := range slices.Chunk(hashes, lookAtOnce) {
		found, err := s.t.postings(ctx, s.tenant, segments, some)
		if err != nil {
			return nil, err
		}
		for i := range found {
			for at := from; len(segments) > 0; at++ {
				if at, _, err = found[i].ceil(ctx, at); err != nil {
					return nil, err
				}
				if at > min(to, covered(segments)) {
					break
				}
				places = append(places, at)
			}
		}
	}
	for at := max(from, covered(s.segments)+1); at <= to; at++ {
		r, err := s.records.ceil(ctx, at)
		if err != nil {
			return nil, err
		}
		if r == nil {
			break
		}
		if at = r.at; at <= to && calls[callOf(r)] {
			places = append(places, at)
		}
	}
	slices.Sort(places)
	return slices.Compact(places), nil
}

func callOf(r *record) string {
	f := factsOf(r.data)
	return string(f.values[call])
}
