package trail

import (
	"hash/maphash"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/protocol"
)

// firsts remembers which calls had a result lately, so that the record of a later one is
// written as superseded. The server refuses a second single result of a call; it cannot
// refuse a result that is in a group, or is stored after the group that holds the first.
//
// It remembers a million calls at least, or those of ten minutes: a second result comes
// from a delivery that was repeated, and workers look for a result before they run such
// a call.
type firsts struct {
	seed        maphash.Seed
	now, before map[uint64]struct{}
	since       time.Time
}

const (
	firstsFor  = 10 * time.Minute
	firstsMost = 1_000_000
)

// add reports whether it is the first result of the call. At is when it was stored: while
// the server is down nothing is forgotten.
func (s *firsts) add(tenant, pool, callID string, at time.Time) bool {
	if s.now == nil {
		s.seed, s.now, s.since = maphash.MakeSeed(), map[uint64]struct{}{}, at
	}
	if at.Sub(s.since) > firstsFor || len(s.now) >= firstsMost {
		s.now, s.before, s.since = map[uint64]struct{}{}, s.now, at
	}
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, name := range [...]string{tenant, pool, callID} {
		_, _ = h.WriteString(name)
		_ = h.WriteByte('/')
	}
	key := h.Sum64()
	_, is := s.now[key]
	_, was := s.before[key]
	s.now[key] = struct{}{}
	return !is && !was
}

// line returns the i-th record of a result as it is written to the trail, and has its call kept
// if it is the first one of the call.
func (p *Pump) line(s *firsts, f *stream.Final, i int) []byte {
	record := f.Records[i]
	if !p.first(s, f, i) {
		return p.superseded(record)
	}
	if f.Grouped {
		return audit.WithResultSeq(record, f.Seq)
	}
	return record
}

// first reports whether the i-th result is the first one of its call, which is kept then.
func (p *Pump) first(s *firsts, f *stream.Final, i int) bool {
	first := s.add(f.Tenant, f.Pool, f.Calls[i], f.At)
	if first && p.Keeper != nil && f.Elements != nil {
		p.Keeper.Take(f, i)
	}
	return first
}

// superseded returns the record of a later result of a call, which this process writes in place of
// the worker, with its own proof. A forged record stays as it is.
func (p *Pump) superseded(record []byte) []byte {
	r, err := audit.Decode(record)
	if err != nil || p.Prove != nil && p.Prove(record, proof.Claim{Worker: []byte(r.Worker), Phase: []byte(r.Phase)}) == proof.Forged {
		return record
	}
	r.Phase = protocol.AuditSuperseded
	if data, err := encode(p.Proof, &r); err == nil {
		return data
	}
	return record
}
