package index

import "context"

const (
	// segmentRecords is the number of records that a tenant must have after its
	// segments before they become a segment. Until then a query reads all of them,
	// which takes about a millisecond.
	segmentRecords = 1024
	// looseChunks is the number of their chunks before small ones are joined.
	looseChunks = 32
	// looseMost is the maximum number of chunks that are read for one segment.
	looseMost = 64
)

// loose counts the chunks and records of a tenant after its segments.
type loose struct{ chunks, records int }

// append stores records of a tenant, which are in order and follow all existing ones.
// If the transaction fails, the copier ends, and its knowledge of loose chunks is
// discarded.
func (c *copier) append(ctx context.Context, t *tx, tenant string, records []record) error {
	now, known := c.loose[tenant]
	if !known {
		var err error
		if now, err = t.countLoose(ctx, tenant); err != nil {
			return err
		}
	}
	few := now.records+len(records) < segmentRecords
	if few && now.chunks < looseChunks {
		chunks := chunksOf(records)
		c.loose[tenant] = loose{now.chunks + len(chunks), now.records + len(records)}
		return c.db.insertChunks(ctx, t, key(tenant), chunks)
	}
	if now.chunks > 0 {
		before, all, err := t.takeLoose(ctx, tenant)
		if err != nil {
			return err
		}
		if !all { // the others come between
			delete(c.loose, tenant)
			if err := c.newSegment(ctx, t, tenant, before); err != nil {
				return err
			}
			return c.db.insertChunks(ctx, t, key(tenant), chunksOf(records))
		}
		records = append(before, records...)
	}
	if !few {
		c.loose[tenant] = loose{}
		return c.newSegment(ctx, t, tenant, records)
	}
	chunks := chunksOf(records)
	c.loose[tenant] = loose{len(chunks), len(records)}
	return c.db.insertChunks(ctx, t, key(tenant), chunks)
}

func (t *tx) countLoose(ctx context.Context, tenant string) (res loose, err error) {
	segments, err := t.segments(ctx, tenant)
	if err != nil {
		return loose{}, err
	}
	err = t.row(ctx, []any{&res.chunks, &res.records},
		`SELECT count(*), coalesce(sum(records), 0) FROM audit_chunk WHERE tenant = ? AND first > ?`, key(tenant), int64(covered(segments)))
	return res, err
}

// takeLoose removes the oldest loose chunks, up to looseMost, and returns their
// records. all is false if some are left.
func (t *tx) takeLoose(ctx context.Context, tenant string) (records []record, all bool, err error) {
	segments, err := t.segments(ctx, tenant)
	if err != nil {
		return nil, false, err
	}
	n, last := 0, place(0)
	err = t.rows(ctx, func(scan func(...any) error) error {
		var c chunk
		if err := scan(&c.first, &c.last, &c.records, &c.data); err != nil {
			return err
		}
		if n++; n > looseMost {
			return nil
		}
		some, err := c.open()
		records, last = append(records, some...), c.first
		return err
	}, `SELECT first, last, records, data FROM audit_chunk WHERE tenant = ? AND first > ? ORDER BY first LIMIT ?`,
		key(tenant), int64(covered(segments)), int64(looseMost+1))
	if err != nil || len(records) == 0 {
		return nil, true, err
	}
	_, err = t.exec(ctx, `DELETE FROM audit_chunk WHERE tenant = ? AND first >= ? AND first <= ?`, key(tenant), int64(records[0].at),
		int64(last))
	return records, n <= looseMost, err
}

// newSegment stores records of a tenant with their keys.
func (c *copier) newSegment(ctx context.Context, t *tx, tenant string, records []record) error {
	if err := c.db.insertChunks(ctx, t, key(tenant), chunksOf(records)); err != nil {
		return err
	}
	c.grow(tenant)
	return t.newKeys(ctx, newHasher(c.secret, tenant), tenant, records)
}

// grow records that a tenant has a new segment.
func (c *copier) grow(tenant string) {
	if c.grown != nil {
		c.grown[key(tenant)] = true
	}
	c.work = true
}

// newKeys stores the keys of records that are stored.
func (t *tx) newKeys(ctx context.Context, h hasher, tenant string, records []record) error {
	pairs, times := pairsOf(h, records)
	first, last := records[0].at, records[len(records)-1].at
	id, err := t.newSegment(ctx, tenant, 1, first, last, live)
	if err != nil {
		return err
	}
	var pages []keyPage
	w := pageWriter{base: first, emit: func(p keyPage) error {
		pages = append(pages, p)
		return nil
	}}
	for _, p := range pairs {
		if err := w.add(p); err != nil {
			return err
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	if _, err := t.exec(ctx, `INSERT INTO audit_span (tenant, first, last, from_time, to_time) VALUES (?, ?, ?, ?, ?)`,
		key(tenant), int64(first), int64(last), times.from, times.to); err != nil {
		return err
	}
	return t.db.insertPages(ctx, t, id, pages)
}
