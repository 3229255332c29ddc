package audit

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/helve-dev/helve/protocol"
)

// Range is a part of a trail: the places between two messages of the stream, both included.
// From 0 is the first place, To 0 the last.
type Range struct{ From, To uint64 }

// All reports whether r is the whole trail.
func (r Range) All() bool { return r == Range{} }

// part checks a range, from the beginning of the seal that covers its first place to the end
// of the seal that covers its last one. The first of these seals must follow from the seal
// before it, and the seal after the last one must follow from it. It shows nothing about
// records and seals elsewhere, and does not compare the number of records with the server's.
// end is the last message of the stream.
func (v *Verifier) part(ctx context.Context, c *checker, noted head, r Range, end uint64) error {
	f := finding{Lookup: &Lookup{Seals: v.Seals}, ctx: ctx, tenant: c.tenant, keys: c.keys}
	if err := f.begin(r.To); err != nil {
		return err
	}
	if r.To == 0 || r.To > end {
		r.To = end
	}
	first, last, err := f.between(r)
	switch {
	case err != nil:
		return err
	case first == nil:
		c.uncovered(r.From)
		return nil
	case last == nil:
		c.uncovered(r.To)
		return nil
	}
	c.report.FromSeq, c.report.ToSeq = first.From, last.To
	if err := v.anchor(ctx, c, first, f.first); err != nil {
		return err
	}
	to := last.To
	if last.N == f.last.N {
		to = max(to, r.To) // records that wait for their seal may wait too long
	}
	if _, err := v.walk(ctx, c, first.From, to, v.sealsBetween(ctx, c, first.N, last.N)); err != nil {
		return err
	}
	if last.N == f.last.N {
		c.cutOff(noted)
		return nil
	}
	return v.next(ctx, c, last)
}

// between returns the seals that cover the ends of a range, nil for a missing one. A
// range that begins before the first seal begins with it, and a range that ends after the last
// seal ends with it. Without any seal both are empty.
func (f *finding) between(r Range) (first, last *span, err error) {
	if f.last.N == 0 {
		return &span{N: 1, From: max(r.From, 1)}, &span{}, nil
	}
	if first, err = f.get(f.first); err != nil {
		return nil, nil, err
	}
	begin := first
	if first == nil || r.From > first.To {
		if first, err = f.find(min(r.From, f.last.To)); err != nil {
			return nil, nil, err
		}
	}
	if begin != nil && r.To <= begin.To {
		return first, begin, nil
	}
	last, err = f.find(min(r.To, f.last.To))
	return first, last, err
}

func (c *checker) uncovered(seq uint64) {
	addProblem(&c.report, Place{Seq: seq}, protocol.ProblemSealMissing,
		"no valid seal covers place %d: verify the whole trail to learn which seals are gone", seq)
}

// anchor makes the checker expect that a seal follows from the one before it, if that one has
// not expired.
func (v *Verifier) anchor(ctx context.Context, c *checker, s *span, first uint64) error {
	if s.N <= first {
		return nil
	}
	c.from = max(c.from, s.From) // the seals before the one before are not looked at
	data, err := v.Seals.Get(ctx, c.tenant, s.N-1)
	if err != nil {
		return fmt.Errorf("read seal %d of %s: %w", s.N-1, c.tenant, err)
	}
	if data == nil {
		c.lost(s.N-1, s.N-1, &opened{Seal: Seal{From: s.From}})
		return nil
	}
	if o, ok := c.numbered(s.N-1, data); ok {
		h := o.head()
		c.last, c.bad = &h, 0
	}
	return nil
}

// next checks that the seal after the last one of a range follows from it.
func (v *Verifier) next(ctx context.Context, c *checker, last *span) error {
	data, err := v.Seals.Get(ctx, c.tenant, last.N+1)
	if err != nil {
		return fmt.Errorf("read seal %d of %s: %w", last.N+1, c.tenant, err)
	}
	if data == nil {
		c.lost(last.N+1, last.N+1, &opened{Seal: Seal{From: last.To + 1}})
		return nil
	}
	if o, ok := c.numbered(last.N+1, data); ok && c.last != nil {
		c.follows(o)
	}
	return nil
}

// sealsBetween passes the valid seals of two numbers and those between them.
func (v *Verifier) sealsBetween(ctx context.Context, c *checker, from, to uint64) iter.Seq2[*opened, error] {
	return func(yield func(*opened, error) bool) {
		for n := from; n <= to; n++ {
			data, err := v.Seals.Get(ctx, c.tenant, n)
			if err != nil {
				yield(nil, fmt.Errorf("read seal %d of %s: %w", n, c.tenant, err))
				return
			}
			if data == nil {
				continue
			}
			if o, ok := c.numbered(n, data); ok && !yield(o, nil) {
				return
			}
		}
	}
}

// signed adds the key of a valid seal to the report.
func (c *checker) signed(o *opened) {
	if !slices.Contains(c.report.KeyIDs, o.KeyID) {
		c.report.KeyIDs = append(c.report.KeyIDs, o.KeyID)
	}
}
