package index

import (
	"context"
	"encoding/binary"
	"errors"
)

// cursor is the progress of the index.
type cursor struct {
	seq    uint64 // everything up to that message is copied
	digest []byte // of that message, nil if unknown
	kept   place  // records before it are never requested
	secret [2]uint64
}

func (t *tx) cursor(ctx context.Context) (c cursor, err error) {
	var seq, kept int64
	var secret []byte
	err = t.row(ctx, []any{&seq, &c.digest, &kept, &secret}, `SELECT seq, digest, kept, secret FROM audit_cursor`)
	if err == nil && len(secret) != 16 {
		err = errDamaged
	}
	if err != nil {
		return cursor{}, err
	}
	c.seq, c.kept = uint64(seq), place(kept)
	c.secret = [2]uint64{binary.BigEndian.Uint64(secret), binary.BigEndian.Uint64(secret[8:])}
	return c, nil
}

// move sets the cursor, which must be at a given place. If it is not, another process
// copies into the same index, and its work must not be repeated. The row stays locked
// until the transaction ends.
func (t *tx) move(ctx context.Context, at, to uint64, digest []byte) error {
	n, err := t.exec(ctx, `UPDATE audit_cursor SET seq = ?, digest = ? WHERE seq = ?`, int64(to), digest, int64(at))
	if err != nil {
		return err
	}
	if n != 1 {
		return errors.New("another process copies into the same index")
	}
	return nil
}

// hold locks the cursor at a place, as move does.
func (t *tx) hold(ctx context.Context, at uint64) error {
	n, err := t.exec(ctx, `UPDATE audit_cursor SET seq = seq WHERE seq = ?`, int64(at))
	if err == nil && n != 1 {
		err = errors.New("another process copies into the same index")
	}
	return err
}

// lock blocks copies and merges until the transaction ends.
func (t *tx) lock(ctx context.Context) error {
	_, err := t.exec(ctx, `UPDATE audit_cursor SET seq = seq`)
	return err
}

// clear removes everything.
func (t *tx) clear(ctx context.Context) error {
	for _, statement := range [...]string{
		`UPDATE audit_cursor SET seq = 0, digest = NULL, kept = 0`,
		`DELETE FROM audit_chunk`, `DELETE FROM audit_segment`, `DELETE FROM audit_key`, `DELETE FROM audit_span`,
	} {
		if _, err := t.exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// state is the state of a segment.
type state int64

const (
	live    state = iota
	made          // it is being written
	dead          // it is to be removed
	unkeyed       // it is empty, and marks that chunks of its tenant wait for their keys
)

// segment holds the keys of the records of one tenant from first to last.
type segment struct {
	id, level   int64
	first, last place
}

// segments returns the segments of a tenant that queries use, in the order of their places.
func (t *tx) segments(ctx context.Context, tenant string) (res []segment, err error) {
	return res, t.rows(ctx, func(scan func(...any) error) error {
		var s segment
		err := scan(&s.id, &s.level, &s.first, &s.last)
		res = append(res, s)
		return err
	}, `SELECT id, level, first, last FROM audit_segment WHERE tenant = ? AND state = ? ORDER BY first`, key(tenant), int64(live))
}

// covered returns the place up to which the records of a tenant are in segments.
func covered(segments []segment) place {
	if len(segments) == 0 {
		return 0
	}
	return segments[len(segments)-1].last
}

// setState changes the state of segments.
func (t *tx) setState(ctx context.Context, to state, ids ...int64) error {
	for _, id := range ids {
		if _, err := t.exec(ctx, `UPDATE audit_segment SET state = ? WHERE id = ?`, int64(to), id); err != nil {
			return err
		}
	}
	return nil
}

// newSegment inserts a segment and returns its id.
func (t *tx) newSegment(ctx context.Context, tenant string, level int64, first, last place, s state) (id int64, err error) {
	err = t.row(ctx, []any{&id}, `INSERT INTO audit_segment (tenant, level, first, last, state) VALUES (?, ?, ?, ?, ?) RETURNING id`,
		key(tenant), level, int64(first), int64(last), int64(s))
	return id, err
}
