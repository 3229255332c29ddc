package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// Exporter hands out trails as the lines that [VerifyFile] verifies. It holds
// nothing between two pages: any process with the same key can go on.
type Exporter struct {
	Source Source
	Seals  Seals
	// Key signs the end of an export, and the cursors. It is the sealer's.
	Key ed25519.PrivateKey
	// Old are the keys that earlier seals may be signed with.
	Old []ed25519.PublicKey
	// Keep is how long the stream keeps a record, 0 for ever.
	Keep time.Duration
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

const (
	// exportLines is how many lines a page holds at most, and exportBytes after
	// how many it ends.
	exportLines = 1000
	exportBytes = 512 << 10
	// exportLook is how many records are looked at for one page: a filter may
	// match none of them.
	exportLook = 20_000
	// exportPatience is how long an export waits until what was there at its
	// start is sealed.
	exportPatience = 3 * time.Second
	exportAgain    = 50 * time.Millisecond
)

// Page returns the next lines of an export, without line ends, and the cursor
// of the page that follows; "" when this was the last. The first page has the
// cursor "". A page may hold fewer lines than limit, even none; limit is at
// most 1,000, and that if it is 0. Of q only the filter is meant; the tenant is
// given. The error is [ErrCursor] for a cursor that no page of this very export
// has given.
func (e *Exporter) Page(ctx context.Context, tenant string, q Query, cursor string, limit int) (lines []stdjson.RawMessage, next string, err error) {
	if len(e.Key) != ed25519.PrivateKeySize {
		return nil, "", errors.New("the export has no signing key")
	}
	q.Tenant, q.Cursor, q.Limit = tenant, "", 0
	p := page{Exporter: e, q: q, limit: exportLines}
	if limit > 0 {
		p.limit = min(limit, exportLines)
	}
	if cursor == "" {
		err = p.begin(ctx)
	} else {
		err = p.resume(cursor)
	}
	if err != nil {
		return nil, "", err
	}
	switch err := p.fill(ctx); {
	case err == nil:
		err := p.close()
		return p.lines, "", err
	case errors.Is(err, errPageFull):
		next, err := p.cursor()
		return p.lines, next, err
	default:
		return nil, "", err
	}
}

// page is a part of an export that is being made.
type page struct {
	*Exporter
	q      Query
	limit  int
	lines  []stdjson.RawMessage
	bytes  int
	looked int

	state
	seal *sealed // the next
}

var errPageFull = errors.New("the page is full")

// put adds a line.
func (p *page) put(line []byte) {
	p.lines = append(p.lines, line)
	p.bytes += len(line)
	p.Lines++
	p.Chain = link(p.Chain, line)
}

func (p *page) full() bool {
	return len(p.lines) >= p.limit || p.bytes >= exportBytes || p.looked >= exportLook
}

// fill puts records and seals until the page is full or the export complete.
func (p *page) fill(ctx context.Context) error {
	if err := p.nextSeal(ctx); err != nil {
		return err
	}
	if p.full() {
		return errPageFull
	}
	err := p.Source.Read(ctx, p.Next, p.End, p.q.Tenant, func(m Message) error {
		if err := p.putSeals(ctx, m.Seq); err != nil {
			return err
		}
		p.looked++
		if p.matches(m.Data) {
			p.put(asLine(m.Seq, m.Data))
			p.Records++
			p.Held = true
		}
		p.Next = m.Seq + 1
		if p.full() {
			return errPageFull
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.Next = p.End + 1
	return p.putSeals(ctx, p.Next)
}

func (p *page) matches(record []byte) bool {
	if p.complete() {
		return true
	}
	r, err := Decode(record)
	return err == nil && p.q.Matches(&r)
}

// complete says that nothing is filtered out.
func (p *page) complete() bool { return p.q == Query{Tenant: p.q.Tenant} }

// putSeals puts the seals that end before a place; with a filter only those
// that cover a record of the export.
func (p *page) putSeals(ctx context.Context, seq uint64) error {
	for p.seal != nil && p.seal.To < seq {
		if p.Held || p.complete() {
			p.put(p.seal.line)
			p.SealLines++
			p.LastSeal = p.seal.N
		}
		p.Held = false
		p.Seal++
		if err := p.nextSeal(ctx); err != nil {
			return err
		}
		if p.full() {
			return errPageFull
		}
	}
	return nil
}

// sealed is a seal as it is stored; N and To are what it says, true or not.
type sealed struct {
	line  []byte
	N, To uint64
}

// nextSeal reads the seal that comes next. One that is gone, or is no line of an
// export, is passed over: the verification misses it.
func (p *page) nextSeal(ctx context.Context) error {
	p.seal = nil
	for ; p.Seal <= p.SealEnd; p.Seal++ {
		line, err := p.Seals.Get(ctx, p.q.Tenant, p.Seal)
		if err != nil {
			return fmt.Errorf("read seal %d of %s: %w", p.Seal, p.q.Tenant, err)
		}
		var s Seal
		if bytes.HasPrefix(line, sealLine) && bytes.IndexByte(line, '\n') < 0 && json.Unmarshal(line, &s) == nil {
			p.seal = &sealed{line, s.N, s.To}
			return nil
		}
	}
	return nil
}
