package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/dchest/siphash"

	"github.com/helve-dev/helve/protocol"
)

// wantedSpan is a span of the index, with the stream's contents in it.
type wantedSpan struct {
	first, last place
	times       span // in the index
	want        span
	sum         uint64 // sum over the pairs of the records
	records     int
}

// spans returns the spans of a tenant, in order.
func (t *tx) spans(ctx context.Context, tenant string) (res []wantedSpan, err error) {
	err = t.rows(ctx, func(scan func(...any) error) error {
		s := wantedSpan{want: noSpan}
		err := scan(&s.first, &s.last, &s.times.from, &s.times.to)
		res = append(res, s)
		return err
	}, `SELECT first, last, from_time, to_time FROM audit_span WHERE tenant = ? ORDER BY first`, key(tenant))
	return res, err
}

// sumOf returns a number for a pair. The sum over all pairs of a segment does not
// depend on their order.
func (c *comparison) sumOf(p pair) uint64 {
	var b [16]byte
	for i := range 8 {
		b[i], b[8+i] = byte(p.hash>>(8*i)), byte(p.at>>(8*i))
	}
	return siphash.Hash(c.secret[1], c.secret[0], b[:])
}

// expect adds a record of the stream to its span.
func (c *comparison) expect(r *record) {
	i := sort.Search(len(c.spans), func(i int) bool { return c.spans[i].last >= r.at })
	if i == len(c.spans) {
		return // it has no keys yet
	}
	s := &c.spans[i]
	if r.at < s.first {
		if c.stray == 0 {
			c.stray = r.at
		}
		c.strayTo = r.at
		return
	}
	f := factsOf(r.data)
	s.want.add(f.micros)
	s.records++
	for n, value := range f.values[:fields] {
		if len(value) > 0 {
			s.sum += c.sumOf(pair{c.hasher.hash(field(n), value), r.at})
		}
	}
}

// errMerged means that a segment was merged while it was read.
var errMerged = errors.New("the segments of the audit index change too fast to be compared; try again")

// keys compares the keys and times of the segments between two places. from is the
// first place of the stream when its records were read, now its current first place.
func (c *comparison) keys(ctx context.Context, from, now, to place) error {
	bad, err := c.badKeys(ctx, from, now, to)
	for range 10 {
		if !errors.Is(err, errMerged) {
			break
		}
		bad, err = c.badKeys(ctx, from, now, to)
	}
	if err != nil {
		return fmt.Errorf("ask the audit index: %w", err)
	}
	for at, last := range bad {
		c.problem(at, protocol.ProblemIndexChanged,
			fmt.Sprintf("the keys of record %v, and of those up to %v, are not what the stream holds", at.audit(), last.audit()))
	}
	if len(bad) == 0 && c.stray != 0 {
		c.problem(c.stray, protocol.ProblemIndexChanged,
			fmt.Sprintf("record %v, and those up to %v, have no keys", c.stray.audit(), c.strayTo.audit()))
	}
	if !c.repair || len(bad) == 0 && c.stray == 0 {
		return nil
	}
	if err := c.index.change(ctx, c.rekey(ctx)); err != nil {
		return fmt.Errorf("repair the audit index: %w", err)
	}
	return nil
}

// badKeys reports the first and last places of records whose keys are wrong.
func (c *comparison) badKeys(ctx context.Context, from, now, to place) (bad map[place]place, err error) {
	var segments []segment
	err = c.index.look(ctx, func(t *tx) (err error) {
		segments, err = t.segments(ctx, c.tenant)
		return err
	})
	if err != nil {
		return nil, err
	}
	bad = map[place]place{}
	behind := from
	for _, s := range segments {
		if s.last > to || s.last < now || s.first < now && now != from {
			continue
		}
		if c.holds(behind, s.first-1) {
			bad[behind] = s.first - 1
		}
		behind = s.last + 1
		wrong, err := c.wrong(ctx, &s, from)
		if err != nil {
			return nil, err
		}
		if wrong {
			bad[max(s.first, from)] = s.last
		}
	}
	return bad, nil
}

// rekey removes the keys of the tenant. Queries read its chunks until the copier has
// created the keys again.
func (c *comparison) rekey(ctx context.Context) func(*tx) error {
	return func(t *tx) error {
		if err := t.lock(ctx); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE audit_segment SET state = ? WHERE tenant = ? AND state <> ?`, int64(dead), key(c.tenant),
			int64(unkeyed)); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `DELETE FROM audit_span WHERE tenant = ?`, key(c.tenant)); err != nil {
			return err
		}
		_, err := t.newSegment(ctx, c.tenant, 0, 0, 0, unkeyed)
		return err
	}
}

// holds reports whether the stream holds records in the spans between two places.
func (c *comparison) holds(from, to place) bool {
	return slices.ContainsFunc(c.spans, func(s wantedSpan) bool { return s.records > 0 && s.first >= from && s.last <= to })
}

// wrong reports whether the keys or the times of a segment differ from those of its
// records from a place on.
func (c *comparison) wrong(ctx context.Context, s *segment, from place) (bool, error) {
	var want uint64
	first, last := lastPlace, place(0)
	for i := range c.spans {
		w := &c.spans[i]
		if w.last < s.first || w.first > s.last {
			continue
		}
		// The times of records that the stream does not keep are unknown.
		if w.first >= from && w.times != w.want || w.first < from && w.records > 0 && (w.times.from > w.want.from || w.times.to < w.want.to) {
			return true, nil
		}
		want += w.sum
		first, last = min(first, w.first), max(last, w.last)
	}
	if last != s.last || s.first >= from && first != s.first {
		return true, nil // a segment consists of whole spans
	}
	is, err := c.sumOfSegment(ctx, s.id, from)
	if err == nil && is == want {
		return false, nil
	}
	if err != nil && !errors.Is(err, errDamaged) {
		return false, err
	}
	var n int
	err = c.index.look(ctx, func(t *tx) error {
		return t.row(ctx, []any{&n}, `SELECT count(*) FROM audit_segment WHERE id = ? AND state = ?`, s.id, int64(live))
	})
	if err == nil && n == 0 {
		err = errMerged
	}
	return true, err
}

// sumOfSegment sums the pairs of a segment from a place on.
func (c *comparison) sumOfSegment(ctx context.Context, id int64, from place) (sum uint64, err error) {
	p := &pairs{segment: id, after: noPair}
	for ended := false; !ended && err == nil; {
		err = c.index.look(ctx, func(t *tx) error {
			p.t, p.page, p.begun = t, nil, false
			for n := 0; n < mergePages*pagePairs; {
				if err := p.fill(ctx); err != nil {
					return err
				}
				if ended = len(p.places) == 0; ended {
					return nil
				}
				hash, places := p.take()
				n += len(places)
				for _, at := range places {
					if at >= from {
						sum += c.sumOf(pair{hash, at})
					}
				}
			}
			return nil
		})
	}
	return sum, err
}
