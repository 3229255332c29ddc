package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/audit"
)

const (
	// fanout is the number of consecutive segments that become one of the next level.
	fanout = 8
	// Limits of a merge: the pages of one transaction, and the time after which it lets
	// a batch of records pass.
	mergePages = 64
	mergeFor   = 30 * time.Millisecond
)

// merge works step by step until records wait to be written. Each step is a transaction
// that begins where, according to the database, the previous one ended, so that a merge
// continues after a process died.
func (c *copier) merge(ctx context.Context, messages <-chan audit.Message) error {
	began := time.Now()
	c.work = true
	for c.work && ctx.Err() == nil && (len(messages) == 0 || time.Since(began) < mergeFor) {
		if err := c.step(ctx); err != nil {
			return fmt.Errorf("merge segments: %w", err)
		}
	}
	return nil
}

// step runs one step. It clears c.work if there is none.
func (c *copier) step(ctx context.Context) error {
	return c.within(ctx, func(ctx context.Context, t *tx) error {
		if err := t.hold(ctx, c.seq); err != nil {
			return err
		}
		for _, does := range [...]func(context.Context, *tx) (bool, error){c.mergeSome, c.removeSome, c.keySome, c.plan} {
			if did, err := does(ctx, t); err != nil || did {
				return err
			}
		}
		c.work = false
		return nil
	})
}

// keySome builds a segment of some of the chunks that wait for their keys.
func (c *copier) keySome(ctx context.Context, t *tx) (bool, error) {
	var id int64
	var tenant string // as in the database
	err := t.row(ctx, []any{&id, &tenant}, `SELECT id, tenant FROM audit_segment WHERE state <> 0 AND state = ? ORDER BY id LIMIT 1`,
		int64(unkeyed))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	records, all, err := t.takeLoose(ctx, tenant)
	if err != nil {
		return false, err
	}
	if all {
		if _, err := t.exec(ctx, `DELETE FROM audit_segment WHERE id = ?`, id); err != nil {
			return false, err
		}
	}
	if len(records) > 0 {
		err = c.newSegment(ctx, t, tenant, records)
	}
	return true, err
}

// plan starts a merge if there are enough consecutive segments of a level, for tenants
// that have new ones.
func (c *copier) plan(ctx context.Context, t *tx) (bool, error) {
	if c.grown == nil {
		c.grown = map[string]bool{}
		err := t.rows(ctx, func(scan func(...any) error) error {
			var tenant string
			err := scan(&tenant)
			c.grown[tenant] = true
			return err
		}, `SELECT tenant FROM audit_segment WHERE state = ? GROUP BY tenant, level HAVING count(*) >= ?`, int64(live), int64(fanout))
		if err != nil {
			return false, err
		}
	}
	for tenant := range c.grown {
		segments, err := t.segments(ctx, tenant)
		if err != nil {
			return false, err
		}
		run := 0
		for n, s := range segments {
			if run++; n > 0 && segments[n-1].level != s.level {
				run = 1
			}
			if run == fanout {
				_, err := t.newSegment(ctx, tenant, s.level+1, segments[n+1-fanout].first, s.last, made)
				return true, err
			}
		}
		delete(c.grown, tenant)
	}
	return false, nil
}

// mergeSome writes some pages of the segment under construction.
func (c *copier) mergeSome(ctx context.Context, t *tx) (bool, error) {
	var to segment
	var tenant string
	err := t.row(ctx, []any{&to.id, &tenant, &to.level, &to.first, &to.last},
		`SELECT id, tenant, level, first, last FROM audit_segment WHERE state <> 0 AND state = ? ORDER BY id LIMIT 1`, int64(made))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	segments, err := t.segments(ctx, tenant)
	if err != nil {
		return false, err
	}
	written, err := t.lastPair(ctx, to.id)
	if err != nil {
		return false, err
	}
	var from []int64
	var inputs []*pairs
	for _, s := range segments {
		if s.first >= to.first && s.last <= to.last {
			from = append(from, s.id)
			inputs = append(inputs, &pairs{t: t, segment: s.id, after: written})
		}
	}
	var pages []keyPage
	w := pageWriter{base: to.first, emit: func(p keyPage) error {
		pages = append(pages, p)
		return nil
	}}
	for len(pages) < mergePages {
		input, err := least(ctx, inputs)
		if err != nil {
			return false, err
		}
		if input == nil { // otherwise a page that is not full is left for the next step
			if err := w.close(); err != nil {
				return false, err
			}
			if err := t.setState(ctx, dead, from...); err != nil {
				return false, err
			}
			if err := t.setState(ctx, live, to.id); err != nil {
				return false, err
			}
			c.grow(tenant)
			break
		}
		hash, places := input.take()
		for _, at := range places {
			if err := w.add(pair{hash, at}); err != nil {
				return false, err
			}
		}
	}
	return true, t.db.insertPages(ctx, t, to.id, pages)
}

// least returns the input with the smallest pair, nil if all are read. The loaded
// places of that input come before those of others with the same hash, because the
// segments do not overlap.
func least(ctx context.Context, inputs []*pairs) (from *pairs, err error) {
	for _, input := range inputs {
		if err := input.fill(ctx); err != nil {
			return nil, err
		}
		if len(input.places) > 0 && (from == nil || input.next().compare(from.next()) < 0) {
			from = input
		}
	}
	return from, nil
}

// removeSome removes some pages of an unused segment, and finally the segment.
func (c *copier) removeSome(ctx context.Context, t *tx) (bool, error) {
	var id int64
	err := t.row(ctx, []any{&id}, `SELECT id FROM audit_segment WHERE state <> 0 AND state = ? ORDER BY id LIMIT 1`, int64(dead))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := t.exec(ctx, `DELETE FROM audit_key WHERE segment = ? AND (hash, place) IN
	(SELECT hash, place FROM audit_key WHERE segment = ? ORDER BY hash, place LIMIT ?)`, id, id, int64(mergePages))
	if err == nil && n == 0 {
		_, err = t.exec(ctx, `DELETE FROM audit_segment WHERE id = ?`, id)
	}
	return true, err
}
