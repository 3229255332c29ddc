package index

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// Query returns a page of records, oldest first. The last record of a call may appear
// twice, because it was unknown whether it had been stored: [audit.Lookup.Once] removes
// the second copy. Its errors are [audit.ErrCursor] and [audit.ErrIndex].
func (x *Index) Query(ctx context.Context, q audit.Query) (audit.Page, error) {
	after, err := q.After()
	if err != nil {
		return audit.Page{}, err
	}
	size := q.PageSize()
	var page audit.Page
	err = x.read(ctx, func(t *tx) error {
		s, err := t.search(ctx, &q)
		if err != nil {
			return err
		}
		begin := placeOf(after) + 1
		var records []record
		if q.Newest {
			records, err = s.last(ctx, begin, placeOf(q.Before), size+1) // one more shows if there is an older page
			if len(records) > size {
				records = records[1:]
				page.Older = audit.CursorAt(records[0].at.audit())
			} else if s.stopped > 0 {
				page.Older = audit.CursorAt(s.stopped.audit())
			}
			if len(records) > 0 {
				begin = records[0].at
			}
		} else {
			records, err = s.first(ctx, begin, size+1) // one more shows if there is a next page
			if s.stopped > 0 {
				page.Next = audit.CursorAt(s.stopped.audit())
			}
		}
		if err != nil {
			return err
		}
		fill(&page, &q, records, size)
		page.Before, err = s.before(ctx, begin-1, &page)
		return err
	})
	if err != nil {
		return audit.Page{}, fmt.Errorf("%w: %w", audit.ErrIndex, err)
	}
	return page, nil
}

// fill adds up to size of the records to a page.
func fill(page *audit.Page, q *audit.Query, records []record, size int) {
	page.Records = make([]protocol.AuditRecord, 0, min(len(records), size))
	for i := range records {
		if i == size {
			page.Next = audit.CursorAt(records[size-1].at.audit())
			break
		}
		page.Records = append(page.Records, records[i].show(q.Tenant))
		page.Stored = append(page.Stored, records[i].data)
	}
}

// show returns a record for a page. Its place and tenant are those of the stream,
// whatever the record contains.
func (r *record) show(tenant string) protocol.AuditRecord {
	res, err := audit.Decode(r.data)
	if err != nil || res.Phase == "" {
		return audit.UnreadableRecord(tenant, r.at.audit())
	}
	res.Seq, res.Part, res.Tenant = r.at.seq(), r.at.part(), tenant
	return res
}

// search is one query in one transaction.
type search struct {
	t        *tx
	tenant   string
	segments []segment
	hasher   hasher
	kept     place
	query    *audit.Query
	wants    [fields]string
	times    span
	seekers  []seeker
	records  reader
	// looked is the number of records in which the text of the query was searched;
	// stopped is the last of them if they were as many as a page may search.
	looked  int
	stopped place
}

// search prepares the answer to q.
func (t *tx) search(ctx context.Context, q *audit.Query) (*search, error) {
	c, err := t.cursor(ctx)
	if err != nil {
		return nil, err
	}
	s := &search{
		t: t, tenant: q.Tenant, query: q, kept: c.kept, hasher: newHasher(c.secret, q.Tenant), records: reader{t: t, tenant: q.Tenant},
		wants: [fields]string{
			q.TraceID, q.CallID, q.Tool, q.User, q.Agent, q.Conversation, q.Status, q.ErrorType, q.Phase, q.Outcome, string(q.Late.Key()),
		},
		times: span{-1 << 63, 1<<63 - 1},
	}
	if s.segments, err = t.segments(ctx, q.Tenant); err != nil {
		return nil, err
	}
	var hashes []int64
	for f, want := range s.wants {
		if want != "" {
			hashes = append(hashes, s.hasher.hash(field(f), []byte(want)))
		}
	}
	found, err := t.postings(ctx, q.Tenant, s.segments, hashes)
	if err != nil {
		return nil, err
	}
	for i := range found {
		s.seekers = append(s.seekers, &found[i])
	}
	if !q.From.IsZero() {
		s.times.from = q.From.UnixMicro()
	}
	if !q.To.IsZero() {
		s.times.to = q.To.UnixMicro() - 1
	}
	if !q.From.IsZero() || !q.To.IsZero() {
		s.seekers = append(s.seekers, &spans{t: t, tenant: q.Tenant, times: s.times, covered: covered(s.segments)})
	}
	return s, nil
}

// matches reports whether a record matches by its contents: a matching hash is not
// enough.
func (s *search) matches(r *record) bool {
	f := factsOf(r.data)
	for i, want := range s.wants {
		if want != "" && string(f.values[i]) != want {
			return false
		}
	}
	return s.times.from <= f.micros && f.micros <= s.times.to && s.mentions(r)
}

// mentions reports whether a record contains the text of the query.
func (s *search) mentions(r *record) bool {
	if s.query.Text == "" {
		return true
	}
	shown, err := audit.Decode(r.data)
	return err == nil && s.query.Mentions(&shown)
}

// spent counts a record in which a text was searched, and reports whether it was the last
// that a page may search.
func (s *search) spent(at place) bool {
	if s.query.Text == "" {
		return false
	}
	if s.looked++; s.looked < audit.TextMost {
		return false
	}
	s.stopped = at
	return true
}

// agree returns the nearest place at which all seekers may match, in the direction of
// seek.
func (s *search) agree(ctx context.Context, at place, seek func(seeker, context.Context, place) (place, bool, error)) (place, bool, error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	for i, agreed := 0, 0; agreed < len(s.seekers); i++ {
		next, ok, err := seek(s.seekers[i%len(s.seekers)], ctx, at)
		if err != nil || !ok {
			return 0, false, err
		}
		if next != at {
			at, agreed = next, 0
		}
		agreed++
	}
	return at, true, nil
}

// first returns up to most matching records from a place on, the oldest.
func (s *search) first(ctx context.Context, from place, most int) (found []record, err error) {
	for at := max(from, s.kept); len(found) < most; {
		next, ok, err := s.agree(ctx, at, seeker.ceil)
		if err != nil || !ok {
			return found, err
		}
		at = next
		r, err := s.records.ceil(ctx, at)
		if err != nil || r == nil {
			return found, err
		}
		if r.at > at {
			at = r.at // the seekers may not find it
			continue
		}
		if s.matches(r) {
			found = append(found, record{r.at, bytes.Clone(r.data)})
		}
		if s.spent(at) {
			return found, nil
		}
		at++
	}
	return found, nil
}

// last returns up to most matching records from a place on and before another, 0 for
// none, the newest; the oldest of them first.
func (s *search) last(ctx context.Context, from, before place, most int) (found []record, err error) {
	defer func() { slices.Reverse(found) }()
	from = max(from, s.kept)
	at := lastPlace
	if before > 0 {
		at = before - 1
	}
	for len(found) < most {
		next, ok, err := s.agree(ctx, at, seeker.floor)
		if err != nil || !ok || next < from {
			return found, err
		}
		at = next
		r, err := s.records.floor(ctx, at)
		if err != nil || r == nil || r.at < from {
			return found, err
		}
		if r.at < at {
			at = r.at
			continue
		}
		if s.matches(r) {
			found = append(found, record{r.at, bytes.Clone(r.data)})
		}
		if s.spent(at) {
			return found, nil
		}
		at--
	}
	return found, nil
}
