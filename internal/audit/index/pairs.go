package index

import (
	"context"
	"database/sql"
	"errors"
)

// pairs reads the pairs of a segment in order, page by page.
type pairs struct {
	t       *tx
	segment int64
	after   pair // pairs up to this one are skipped

	page   *pageReader
	first  pair // of page, until it was read
	begun  bool // a page was read
	hash   int64
	places []place // the next pairs, of that hash
}

// noPair is before every pair.
var noPair = pair{hash: -1}

func (p *pairs) next() pair { return pair{p.hash, p.places[0]} }

// take returns the next pairs and advances.
func (p *pairs) take() (int64, []place) {
	taken := p.places
	p.after, p.places = pair{p.hash, taken[len(taken)-1]}, nil
	return p.hash, taken
}

// fill reads the next pairs if none are loaded; after the last there are none.
func (p *pairs) fill(ctx context.Context) error {
	for len(p.places) == 0 {
		if p.page == nil {
			k, err := p.load(ctx)
			if err != nil || k.data == nil {
				return err
			}
			if p.page, err = readPage(k.data); err != nil {
				return err
			}
			p.first = pair{k.hash, k.at}
		}
		hash, entries, more, err := p.page.next()
		if err != nil {
			return err
		}
		if !more {
			p.page = nil
			continue
		}
		places, err := p.page.places(entries)
		if err != nil {
			return err
		}
		// A page that does not begin as its row states could cause an endless loop.
		if p.first != noPair && p.first != (pair{hash, places[0]}) {
			return errPage
		}
		p.first = noPair
		n := 0
		for n < len(places) && (pair{hash, places[n]}).compare(p.after) <= 0 {
			n++
		}
		p.hash, p.places = hash, places[n:]
	}
	return nil
}

// load returns the next page, none after the last. The first page may contain pairs
// that are skipped.
func (p *pairs) load(ctx context.Context) (k keyPage, err error) {
	if !p.begun {
		p.begun = true
		if k, err = p.t.pageAt(ctx, p.segment, p.after); err != nil || k.data != nil {
			return k, err
		}
	}
	return p.t.pageBehind(ctx, p.segment, p.after)
}

// pageAt returns the page of a segment that would contain a pair; none if all pages are
// after it.
func (t *tx) pageAt(ctx context.Context, segment int64, p pair) (k keyPage, err error) {
	err = t.row(ctx, []any{&k.hash, (*int64)(&k.at), &k.data},
		`SELECT hash, place, data FROM audit_key WHERE segment = ? AND (hash, place) <= (?, ?)
ORDER BY hash DESC, place DESC LIMIT 1`, segment, p.hash, int64(p.at))
	if errors.Is(err, sql.ErrNoRows) {
		return keyPage{}, nil
	}
	return k, err
}

// pageBehind returns the first page of a segment that begins after a pair, none if
// there is none.
func (t *tx) pageBehind(ctx context.Context, segment int64, p pair) (k keyPage, err error) {
	err = t.row(ctx, []any{&k.hash, (*int64)(&k.at), &k.data},
		`SELECT hash, place, data FROM audit_key WHERE segment = ? AND (hash, place) > (?, ?)
ORDER BY hash, place LIMIT 1`, segment, p.hash, int64(p.at))
	if errors.Is(err, sql.ErrNoRows) {
		return keyPage{}, nil
	}
	return k, err
}

// lastPair returns the last pair of a segment, [noPair] if it has none.
func (t *tx) lastPair(ctx context.Context, segment int64) (pair, error) {
	k, err := t.pageAt(ctx, segment, pair{1<<63 - 1, lastPlace})
	if err != nil || k.data == nil {
		return noPair, err
	}
	page, err := readPage(k.data)
	if err != nil {
		return noPair, err
	}
	last := noPair
	for {
		hash, entries, more, err := page.next()
		if err != nil {
			return noPair, err
		}
		if !more {
			return last, nil
		}
		places, err := page.places(entries)
		if err != nil {
			return noPair, err
		}
		last = pair{hash, places[len(places)-1]}
	}
}
