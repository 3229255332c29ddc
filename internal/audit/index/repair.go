package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
)

const (
	// Limits of a repair's window, in records and in bytes.
	windowRecords = segmentRecords
	windowBytes   = 4 << 20
)

// window is a part of the stream that a comparison has read.
type window struct {
	from  place
	right []record // the stream's contents in it
	size  int
	dirty bool // the index differs
}

// keep adds a record to the window, and repairs the window when it is full.
func (c *comparison) keep(ctx context.Context, want *record, same bool) error {
	if !c.repair {
		return nil
	}
	w := &c.window
	w.right = append(w.right, record{want.at, bytes.Clone(want.data)})
	w.size += len(want.data)
	w.dirty = w.dirty || !same
	if len(w.right) < windowRecords && w.size < windowBytes {
		return nil
	}
	return c.rewrite(ctx, want.at)
}

// rewrite ends the window at a place, and writes the stream's contents if the index
// differs.
func (c *comparison) rewrite(ctx context.Context, to place) error {
	w := c.window
	c.window = window{from: to + 1}
	if !c.repair || !w.dirty {
		return nil
	}
	err := c.index.change(ctx, func(t *tx) error { return c.replace(ctx, t, w.from, to, w.right) })
	if err != nil {
		return fmt.Errorf("repair the audit index: %w", err)
	}
	return nil
}

// replace replaces everything that the index holds between two places by records.
func (c *comparison) replace(ctx context.Context, t *tx, from, to place, right []record) error {
	if err := t.lock(ctx); err != nil {
		return err
	}
	r := reader{t: t, tenant: c.tenant}
	if err := r.some(ctx, fromPlace+` AND first <= ? ORDER BY first`, key(c.tenant), int64(from), int64(to)); err != nil {
		return err
	}
	var before, behind []record
	for i := range r.ahead {
		records, err := r.ahead[i].open()
		if err != nil {
			continue // it is removed; the adjacent windows then lack its other records
		}
		for _, r := range records {
			switch {
			case r.at < from:
				before = append(before, r)
			case r.at > to:
				behind = append(behind, r)
			}
		}
	}
	for i := range r.ahead {
		if _, err := t.exec(ctx, `DELETE FROM audit_chunk WHERE tenant = ? AND first = ?`, key(c.tenant), int64(r.ahead[i].first)); err != nil {
			return err
		}
	}
	all := slices.Concat(before, right, behind)
	segments, err := t.segments(ctx, c.tenant)
	if err != nil {
		return err
	}
	// No chunk is both in a segment and loose.
	loose, _ := slices.BinarySearchFunc(all, covered(segments)+1, func(r record, at place) int { return cmp.Compare(r.at, at) })
	if err := t.db.insertChunks(ctx, t, key(c.tenant), chunksOf(all[:loose])); err != nil {
		return err
	}
	return t.db.insertChunks(ctx, t, key(c.tenant), chunksOf(all[loose:]))
}
