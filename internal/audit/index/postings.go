package index

import (
	"context"
	"slices"
	"sort"
	"strings"
)

// seeker finds the places that may match a query: ceil returns the first at or after a
// place, floor the last at or before it. A place that no segment covers may match. ok
// is false if there is none.
type seeker interface {
	ceil(ctx context.Context, p place) (at place, ok bool, err error)
	floor(ctx context.Context, p place) (at place, ok bool, err error)
}

// postings holds the places of a tenant's records that have a field with one hash.
type postings struct {
	t        *tx
	hash     int64
	segments []segment
	lists    []list // one for each segment
}

// list holds the known places of a hash in one segment: places has all of them between
// from and to, both included.
type list struct {
	from, to place
	places   []place
}

// postings looks up hashes in consecutive segments with one statement: it reads the
// last page of each segment that may contain a hash. There are more pages only if many
// records have the hash.
func (t *tx) postings(ctx context.Context, tenant string, segments []segment, hashes []int64) ([]postings, error) {
	found := make([]postings, len(hashes))
	for i, hash := range hashes {
		found[i] = postings{t: t, hash: hash, segments: segments, lists: make([]list, len(segments))}
	}
	if len(segments) == 0 || len(hashes) == 0 {
		return found, nil
	}
	values := make([]any, 0, len(hashes)+5)
	for _, hash := range hashes {
		values = append(values, hash)
	}
	values = append(values, int64(lastPlace), key(tenant), int64(segments[0].first), int64(segments[len(segments)-1].first), int64(live))
	return found, t.rows(ctx, func(scan func(...any) error) error {
		var hash, id int64
		var data []byte
		if err := scan(&hash, &id, &data); err != nil {
			return err
		}
		i := slices.IndexFunc(segments, func(s segment) bool { return s.id == id })
		for n := range found {
			if found[n].hash == hash && i >= 0 {
				if err := found[n].lists[i].read(data, hash, lastPlace); err != nil {
					return err
				}
			}
		}
		return nil
	}, `WITH wanted (hash) AS (VALUES (CAST(? AS bigint))`+strings.Repeat(", (CAST(? AS bigint))", len(hashes)-1)+`)
SELECT w.hash, s.id, (SELECT k.data FROM audit_key k WHERE k.segment = s.id AND (k.hash, k.place) <= (w.hash, CAST(? AS bigint))
ORDER BY k.hash DESC, k.place DESC LIMIT 1) FROM wanted w CROSS JOIN audit_segment s
WHERE s.tenant = ? AND s.first >= ? AND s.first <= ? AND s.state = ?`, values...)
}

// read loads the last page that begins at or before to; nil if there is none.
func (l *list) read(data []byte, hash int64, to place) error {
	*l = list{to: to}
	if data == nil {
		return nil
	}
	page, err := readPage(data)
	if err != nil {
		return err
	}
	begins := page.hash
	if l.places, err = page.find(hash); err != nil || len(l.places) == 0 {
		return err
	}
	if begins == hash {
		l.from = l.places[0] // there may be others on the pages before
	}
	l.to = max(to, l.places[len(l.places)-1])
	if !page.ended() {
		l.to = lastPlace
	}
	return nil
}

// load ensures that the list of a segment is known at a place.
func (p *postings) load(ctx context.Context, i int, at place) error {
	l := &p.lists[i]
	if l.from <= at && at <= l.to {
		return nil
	}
	page, err := p.t.pageAt(ctx, p.segments[i].id, pair{p.hash, at})
	if err != nil {
		return err
	}
	return l.read(page.data, p.hash, at)
}

// ceil implements [seeker].
func (p *postings) ceil(ctx context.Context, at place) (place, bool, error) {
	i := sort.Search(len(p.segments), func(i int) bool { return p.segments[i].last >= at })
	for ; i < len(p.segments); i++ {
		if next, ok, err := p.ceilIn(ctx, i, at); err != nil || ok {
			return next, ok, err
		}
	}
	return max(at, covered(p.segments)+1), true, nil
}

func (p *postings) ceilIn(ctx context.Context, i int, at place) (place, bool, error) {
	if err := p.load(ctx, i, at); err != nil {
		return 0, false, err
	}
	l := &p.lists[i]
	if n := sort.Search(len(l.places), func(n int) bool { return l.places[n] >= at }); n < len(l.places) {
		return l.places[n], true, nil
	}
	if l.to >= p.segments[i].last {
		return 0, false, nil
	}
	page, err := p.t.pageBehind(ctx, p.segments[i].id, pair{p.hash, l.to})
	if err != nil {
		return 0, false, err
	}
	if page.data != nil {
		if err := l.read(page.data, p.hash, l.to+1); err != nil {
			return 0, false, err
		}
	}
	if len(l.places) == 0 || l.places[0] < at { // the page begins with another hash
		l.to = lastPlace
		return 0, false, nil
	}
	return l.places[0], true, nil
}

// floor implements [seeker].
func (p *postings) floor(ctx context.Context, at place) (place, bool, error) {
	if at > covered(p.segments) {
		return at, true, nil
	}
	i := sort.Search(len(p.segments), func(i int) bool { return p.segments[i].first > at })
	for i--; i >= 0; i-- {
		until := min(at, p.segments[i].last)
		if err := p.load(ctx, i, until); err != nil {
			return 0, false, err
		}
		l := &p.lists[i]
		if n := sort.Search(len(l.places), func(n int) bool { return l.places[n] > until }); n > 0 {
			return l.places[n-1], true, nil
		}
	}
	return 0, false, nil
}
