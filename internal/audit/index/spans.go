package index

import (
	"context"
	"database/sql"
	"errors"
)

// spans holds the places of a tenant's records that may have a time in the query's
// range. Records arrive nearly in the order of their times, so that most spans contain
// none or all.
type spans struct {
	t       *tx
	tenant  string
	times   span
	covered place
	// first to last is the last span that was found.
	first, last place
}

const spanTimes = `SELECT first, last FROM audit_span WHERE tenant = ? AND to_time >= ? AND from_time <= ? AND `

// ceil implements [seeker].
func (s *spans) ceil(ctx context.Context, at place) (place, bool, error) {
	if s.first <= at && at <= s.last {
		return at, true, nil
	}
	// Spans do not overlap, so only the one before at may reach it.
	found, err := s.find(ctx, spanTimes+`last >= ? AND first >= coalesce(
	(SELECT first FROM audit_span WHERE tenant = ? AND first <= ? ORDER BY first DESC LIMIT 1), 0) ORDER BY first LIMIT 1`,
		int64(at), key(s.tenant), int64(at))
	if err != nil {
		return 0, false, err
	}
	if !found {
		return max(at, s.covered+1), true, nil
	}
	return max(at, s.first), true, nil
}

// floor implements [seeker].
func (s *spans) floor(ctx context.Context, at place) (place, bool, error) {
	if s.first <= at && at <= s.last || at > s.covered {
		return at, true, nil
	}
	found, err := s.find(ctx, spanTimes+`first <= ? ORDER BY first DESC LIMIT 1`, int64(at))
	if err != nil || !found {
		return 0, false, err
	}
	return min(at, s.last), true, nil
}

func (s *spans) find(ctx context.Context, statement string, values ...any) (bool, error) {
	values = append([]any{key(s.tenant), s.times.from, s.times.to}, values...)
	err := s.t.row(ctx, []any{(*int64)(&s.first), (*int64)(&s.last)}, statement, values...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
