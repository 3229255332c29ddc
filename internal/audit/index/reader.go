package index

import (
	"context"
	"sort"
)

// reader reads the records of a tenant by their places. It keeps the last chunk, and
// reads several chunks together if places follow each other.
type reader struct {
	t      *tx
	tenant string

	now     chunk
	records []record // of now
	// ahead holds the chunks next to now, in reading direction.
	ahead []chunk
}

// readAhead is the number of chunks that are read together.
const readAhead = 8

// ceil returns the first record at or after a place, nil if there is none.
func (r *reader) ceil(ctx context.Context, at place) (*record, error) {
	if !r.has(at) {
		next := r.next(func(c *chunk) bool { return at <= c.last && r.now.last < at })
		if next == nil {
			var err error
			if next, err = r.find(ctx, at); err != nil || next == nil {
				return nil, err
			}
		}
		if err := r.open(*next); err != nil {
			return nil, err
		}
	}
	return &r.records[sort.Search(len(r.records), func(i int) bool { return r.records[i].at >= at })], nil
}

// floor returns the last record at or before a place, nil if there is none.
func (r *reader) floor(ctx context.Context, at place) (*record, error) {
	if !r.has(at) {
		next := r.next(func(c *chunk) bool { return at >= c.first && r.now.first > at })
		if next == nil {
			most := 1
			if r.now.last != 0 && at == r.now.first-1 {
				most = readAhead
			}
			if err := r.some(ctx, `first <= ? ORDER BY first DESC LIMIT ?`, int64(at), most); err != nil || len(r.ahead) == 0 {
				return nil, err
			}
			next, r.ahead = &r.ahead[0], r.ahead[1:]
		}
		if err := r.open(*next); err != nil {
			return nil, err
		}
	}
	return &r.records[sort.Search(len(r.records), func(i int) bool { return r.records[i].at > at })-1], nil
}

func (r *reader) has(at place) bool { return r.now.last != 0 && r.now.first <= at && at <= r.now.last }

// next takes the first wanted chunk of those ahead, nil if there is none.
func (r *reader) next(wanted func(*chunk) bool) *chunk {
	for i := range r.ahead {
		if wanted(&r.ahead[i]) {
			c := &r.ahead[i]
			r.ahead = r.ahead[i+1:]
			return c
		}
	}
	r.ahead = nil
	return nil
}

// find returns the chunk that contains a place, or the first one after it.
func (r *reader) find(ctx context.Context, at place) (*chunk, error) {
	most := 1
	if r.now.last != 0 && at == r.now.last+1 {
		most = readAhead
	} else {
		err := r.some(ctx, `first <= ? ORDER BY first DESC LIMIT ?`, int64(at), 1)
		if err != nil {
			return nil, err
		}
		if len(r.ahead) > 0 && r.ahead[0].last >= at {
			c := &r.ahead[0]
			r.ahead = nil
			return c, nil
		}
	}
	if err := r.some(ctx, `first >= ? ORDER BY first LIMIT ?`, int64(at), most); err != nil || len(r.ahead) == 0 {
		return nil, err
	}
	c := &r.ahead[0]
	r.ahead = r.ahead[1:]
	return c, nil
}

// some reads chunks of the tenant.
func (r *reader) some(ctx context.Context, which string, values ...any) error {
	r.ahead = nil
	return r.t.rows(ctx, func(scan func(...any) error) error {
		var c chunk
		err := scan(&c.first, &c.last, &c.records, &c.data)
		r.ahead = append(r.ahead, c)
		return err
	}, `SELECT first, last, records, data FROM audit_chunk WHERE tenant = ? AND `+which, append([]any{key(r.tenant)}, values...)...)
}

func (r *reader) open(c chunk) (err error) {
	r.records, err = c.open()
	r.now = c
	return err
}
