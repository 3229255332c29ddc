package index

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// Compare compares the index of a tenant with the stream, up to the copied place, and
// calls found for each difference; to is the last compared message. If repair is set,
// it changes the index to match the stream. Queries and the copy continue meanwhile. It
// does not compare the keys of a segment whose first records leave the stream
// meanwhile.
func (x *Index) Compare(
	ctx context.Context, src Source, tenant string, repair bool, found func(protocol.AuditProblem),
) (to uint64, err error) {
	first, last, err := src.Range(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask the stream: %w", err)
	}
	c := comparison{index: x, src: src, tenant: tenant, repair: repair, found: found}
	err = x.look(ctx, func(t *tx) (err error) {
		if c.cursor, err = t.cursor(ctx); err == nil {
			c.spans, err = t.spans(ctx, tenant)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("ask the audit index: %w", err)
	}
	to = min(c.seq, last)
	c.hasher, c.window.from = newHasher(c.secret, tenant), firstIn(first)
	if err := c.walk(ctx, first, to); err != nil {
		return 0, err
	}
	now, _, err := src.Range(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask the stream: %w", err)
	}
	for _, at := range c.missing {
		if at >= firstIn(now) { // the records before it left both meanwhile
			c.problem(at, protocol.ProblemIndexMissing, fmt.Sprintf("record %v is not in the index", at.audit()))
		}
	}
	return to, c.keys(ctx, firstIn(first), firstIn(now), firstIn(to+1)-1)
}

// comparison is one comparison of the index with the stream.
type comparison struct {
	index  *Index
	src    Source
	tenant string
	repair bool
	found  func(protocol.AuditProblem)
	cursor
	hasher hasher

	missing []place
	window  window
	spans   []wantedSpan
	// stray is the first record of the stream that no span contains and that is before
	// the last span.
	stray, strayTo place
}

func (c *comparison) problem(at place, kind protocol.AuditProblemKind, detail string) {
	c.found(protocol.AuditProblem{Seq: at.seq(), Part: at.part(), Kind: kind, Detail: detail})
}

// walk reads both sides in the order of their places.
func (c *comparison) walk(ctx context.Context, from, to uint64) error {
	next, stop := iter.Pull2(c.records(ctx, firstIn(from), firstIn(to+1)-1))
	defer stop()
	has, err, more := next()
	// pass handles the index's records before a place, which the stream does not have.
	pass := func(at place) error {
		for more && err == nil && has.at < at {
			c.problem(has.at, protocol.ProblemIndexExtra, fmt.Sprintf("the index holds record %v, and the stream does not", has.at.audit()))
			c.window.dirty = true
			has, err, more = next()
		}
		return err
	}
	each := func(want record) error {
		if err := pass(want.at); err != nil {
			return err
		}
		same := false
		if !more || has.at != want.at {
			c.missing = append(c.missing, want.at)
		} else if same = bytes.Equal(has.data, want.data); !same {
			c.problem(want.at, protocol.ProblemIndexChanged, fmt.Sprintf("record %v is not in the index as the stream has it", want.at.audit()))
		}
		c.expect(&want)
		if err := c.keep(ctx, &want, same); err != nil {
			return err
		}
		if more && has.at == want.at {
			has, err, more = next()
		}
		return err
	}
	if from <= to {
		if err := c.src.Read(ctx, from, to, c.tenant, func(m audit.Message) error {
			for part, data := range m.Records() {
				if err := each(record{firstIn(m.Seq) + place(part), data}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if err := pass(firstIn(to + 1)); err != nil {
		return err
	}
	return c.rewrite(ctx, firstIn(to+1)-1)
}

// fromPlace selects the last chunk that begins before a place, and the later ones.
const fromPlace = `first >= coalesce((SELECT max(first) FROM audit_chunk WHERE tenant = ? AND first <= ?), 0)`

// records returns the records of the tenant in the index between two places. It omits
// unreadable ones.
func (c *comparison) records(ctx context.Context, from, to place) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for from <= to {
			var some []chunk
			err := c.index.look(ctx, func(t *tx) error {
				r := reader{t: t, tenant: c.tenant}
				err := r.some(ctx, fromPlace+` ORDER BY first LIMIT ?`, key(c.tenant), int64(from), readAhead)
				some = r.ahead
				return err
			})
			if err != nil {
				yield(record{}, fmt.Errorf("ask the audit index: %w", err))
				return
			}
			for i := range some {
				records, _ := some[i].open()
				for _, r := range records {
					if r.at >= from && r.at <= to && !yield(r, nil) {
						return
					}
				}
			}
			if len(some) < readAhead {
				return
			}
			from = max(from, some[len(some)-1].last, some[len(some)-1].first) + 1
		}
	}
}
