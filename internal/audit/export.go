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

// Exporter returns trails as the lines that [VerifyFile] verifies. It keeps no state
// between two pages: any process with the same key can continue.
type Exporter struct {
	Source Source
	Seals  Seals
	// Key signs the end of an export, and the cursors. It is the sealer's key.
	Key ed25519.PrivateKey
	// Old lists the keys that earlier seals may be signed with.
	Old []ed25519.PublicKey
	// Keep is the retention of the stream, 0 for unlimited.
	Keep time.Duration
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

const (
	// exportLines limits the lines of a page; a page ends after exportBytes bytes.
	exportLines = 1000
	exportBytes = 512 << 10
	// exportLook limits the records that are read for one page, since a filter may
	// match none of them.
	exportLook = 20_000
	// exportPatience limits the time that an export waits until the records that
	// existed at its start are sealed.
	exportPatience = 3 * time.Second
	exportAgain    = 50 * time.Millisecond
)

// Page returns the next lines of an export, without line ends, and the cursor of the
// next page; "" after the last. The first page has the cursor "". A page may hold fewer
// lines than limit, even none; limit is at most 1,000, and 0 means 1,000. Only the
// filter of q is used; the tenant is an argument. The error is [ErrCursor] for a cursor
// that is not from a page of this export.
func (e *Exporter) Page(
	ctx context.Context, tenant string, q Query, cursor string, limit int,
) (lines []stdjson.RawMessage, next string, err error) {
	if len(e.Key) != ed25519.PrivateKeySize {
		return nil, "", errors.New("the export has no signing key")
	}
	q.Tenant, q.Cursor, q.Limit = tenant, "", 0
	p := page{Exporter: e, q: q, limit: exportLines, version: exportVersion}
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

// page is a page of an export under construction.
type page struct {
	*Exporter
	q      Query
	limit  int
	lines  []stdjson.RawMessage
	bytes  int
	looked int

	state
	version int     // of the export
	seal    *sealed // the next
}

var errPageFull = errors.New("the page is full")

// put appends a line.
func (p *page) put(line []byte) {
	p.lines = append(p.lines, line)
	p.bytes += len(line)
	p.Lines++
	p.Chain = link(p.Chain, line)
}

func (p *page) full() bool {
	return len(p.lines) >= p.limit || p.bytes >= exportBytes || p.looked >= exportLook
}

// fill writes records and seals until the page is full or the export complete.
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
		for part, data := range m.Records() {
			if err := p.record(Place{m.Seq, part}, data); err != nil {
				return err
			}
		}
		p.Next, p.Part = m.Seq+1, 0
		return nil
	})
	if err != nil {
		return err
	}
	p.Next, p.Part = p.End+1, 0
	return p.putSeals(ctx, p.Next)
}

// record writes a matching record, unless a page before has handled it. Its error is
// errPageFull if there is no room after it.
func (p *page) record(at Place, data []byte) error {
	if at.Compare(Place{p.Next, p.Part}) < 0 {
		return nil
	}
	p.looked++
	if p.matches(data) {
		if at.Part > 0 && p.version == 1 {
			return ErrCursor // it was started when messages had no parts
		}
		p.put(asLine(at, data))
		p.Records++
		p.Held = true
	}
	p.Next, p.Part = at.Seq, at.Part+1
	if p.full() {
		return errPageFull
	}
	return nil
}

func (p *page) matches(record []byte) bool {
	if p.complete() {
		return true
	}
	r, err := Decode(record)
	return err == nil && p.q.Matches(&r)
}

// complete reports whether nothing is filtered out.
func (p *page) complete() bool { return p.q == Query{Tenant: p.q.Tenant} }

// putSeals writes the seals that end before a place; with a filter only those that
// cover a record of the export.
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

// sealed is a stored seal; N and To are its own claims and may be false.
type sealed struct {
	line  []byte
	N, To uint64
}

// nextSeal reads the next seal. It skips a seal that is missing, or cannot be a line of
// an export; verification reports it.
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
