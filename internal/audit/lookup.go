package audit

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"slices"
	"sync"

	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/protocol"
)

// Lookup checks single records against the seals that cover them, for readers of a
// copy. It verifies each seal by itself, not the chain, as [Verifier] does.
type Lookup struct {
	Seals Seals
	// Keys returns the keys that seals may be signed with.
	Keys func(context.Context) ([]ed25519.PublicKey, error)

	mu   sync.Mutex
	ends map[string]bounds // by tenant
	kept sealCache
}

// bounds holds the numbers of the first and the last seal of a tenant's chain.
type bounds struct {
	first uint64
	last  head
}

// lookTenants is the number of tenants whose chains are cached.
const lookTenants = 1000

// Mark sets Sealed and Problem of each record of a page that answers q, and returns the
// problems. Page.Stored must hold the records in their stored form.
func (l *Lookup) Mark(ctx context.Context, q *Query, p *Page) ([]protocol.AuditProblem, error) {
	if len(p.Records) == 0 {
		return nil, nil
	}
	keys, err := l.Keys(ctx)
	if err != nil {
		return nil, err
	}
	f := finding{Lookup: l, ctx: ctx, tenant: q.Tenant, keys: ring(keys...)}
	if err := f.begin(p.Records[len(p.Records)-1].Seq); err != nil {
		return nil, err
	}
	var problems []protocol.AuditProblem
	for i := range p.Records {
		r := &p.Records[i]
		v, err := f.check(placeOf(r), p.Stored[i])
		if err != nil {
			return nil, err
		}
		kind := v.problem
		switch {
		case kind == protocol.ProblemForeign:
			*r = UnreadableRecord(q.Tenant, placeOf(r))
		case kind == "" && r.Phase != protocol.AuditUnreadable && !q.Matches(r):
			kind = protocol.ProblemIndexChanged // found by a value that it does not have
		}
		r.Sealed, r.Proven, r.Problem = &v.sealed, v.writer == proof.Proven, kind
		if kind != "" {
			problems = append(problems, protocol.AuditProblem{Seq: r.Seq, Part: r.Part, Kind: kind, Detail: fmt.Sprintf(shown[kind], placeOf(r))})
		}
	}
	return problems, nil
}

// shown maps problems to the sentences about records of a copy.
var shown = map[protocol.AuditProblemKind]string{
	protocol.ProblemChanged:      "record %v is not what was sealed",
	protocol.ProblemAdded:        "record %v was not there when its seal was made",
	protocol.ProblemForeign:      "place %v holds bytes that are no record of this tenant and of the tool its subject names",
	protocol.ProblemForged:       forgedDetail,
	protocol.ProblemSealMissing:  "the seal that covers record %v is gone or not to be used",
	protocol.ProblemIndexChanged: "record %v is found under what it does not say",
}

// finding is one search for the seals of a page's records, which are in order.
type finding struct {
	*Lookup
	ctx    context.Context
	tenant string
	keys   keyring
	bounds
	// fresh is set if first was read in this search.
	fresh bool
	now   *span // the seal of the record before
}

// begin finds the ends of the chain, and reads them again if they are cached and do not
// reach seq.
func (f *finding) begin(seq uint64) error {
	f.mu.Lock()
	b, known := f.ends[f.tenant]
	f.mu.Unlock()
	f.bounds = b
	if known && b.last.To >= seq {
		return nil
	}
	var err error
	if f.last, err = chainEnd(f.ctx, f.Seals, f.tenant, f.keys); err != nil {
		return err
	}
	if !known {
		return f.begun()
	}
	f.remember()
	return nil
}

// begun finds the first seal of the chain, which retention advances.
func (f *finding) begun() (err error) {
	f.fresh = true
	f.first, err = firstSeal(f.ctx, f.Seals, f.tenant)
	if err == nil {
		f.remember()
	}
	return err
}

func (f *finding) remember() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ends == nil || len(f.ends) >= lookTenants {
		f.ends = map[string]bounds{}
	}
	f.ends[f.tenant] = f.bounds
}

// verdict is the statement of a seal about a record.
type verdict struct {
	sealed  bool
	writer  proof.Verdict
	problem protocol.AuditProblemKind
}

// check checks a record against its seal. A record that is not sealed yet is neither
// sealed nor a problem.
func (f *finding) check(at Place, data []byte) (v verdict, err error) {
	seq := at.Seq
	if seq > f.last.To {
		return v, nil
	}
	if f.now == nil || seq < f.now.From || seq > f.now.To {
		if f.now, err = f.find(seq); err != nil {
			return v, err
		}
	}
	if f.now == nil && !f.fresh {
		if err := f.begun(); err != nil {
			return v, err
		}
		return f.check(at, data)
	}
	if f.now == nil {
		return verdict{problem: protocol.ProblemSealMissing}, nil
	}
	i, covered := slices.BinarySearchFunc(f.now.places, at, Place.Compare)
	if !covered {
		return verdict{problem: protocol.ProblemAdded}, nil
	}
	hash := digest(data)
	writer, same := sealedAs(f.now.hashes[i], at, hash)
	switch {
	case f.now.hashes[i] == foreignLeaf(at, hash):
		return verdict{problem: protocol.ProblemForeign}, nil
	case !same:
		return verdict{problem: protocol.ProblemChanged}, nil
	case writer == proof.Forged:
		return verdict{problem: protocol.ProblemForged}, nil
	}
	return verdict{sealed: true, writer: writer}, nil
}

// lookAround is the number of seals that are tried beside a missing one.
const lookAround = 8

// find returns the seal that covers a place, nil if there is no valid one. Seals
// usually cover similar numbers of places, so it interpolates, and bisects every other
// time in case they do not.
func (f *finding) find(seq uint64) (*span, error) {
	lo, hi := f.first, f.last.N
	loSeq, hiSeq := uint64(1), f.last.To
	for round := 0; lo <= hi && hi > 0; round++ {
		mid := lo + (hi-lo)/2
		if seq < loSeq || seq > hiSeq {
			return nil, nil
		}
		if round%2 == 0 {
			mid = lo + uint64(float64(hi-lo)*(float64(seq-loSeq)/float64(hiSeq-loSeq+1)))
		}
		s, err := f.near(mid, lo, hi)
		switch {
		case err != nil || s == nil:
			return nil, err
		case seq < s.From:
			hi, hiSeq = min(mid, s.N)-1, s.From-1
		case seq > s.To:
			lo, loSeq = max(mid, s.N)+1, s.To+1
		default:
			return s, nil
		}
	}
	return nil, nil
}

// near returns seal n, or a valid one near it within the bounds, nil for none.
func (f *finding) near(n, lo, hi uint64) (*span, error) {
	for i := range uint64(lookAround) {
		for _, at := range [...]uint64{n + i, n - i} {
			if at < lo || at > hi {
				continue
			}
			if s, err := f.get(at); err != nil || s != nil {
				return s, err
			}
		}
	}
	return nil, nil
}

// get returns seal n, nil if there is no valid one.
func (f *finding) get(n uint64) (*span, error) {
	f.mu.Lock()
	s := f.kept.get(f.tenant, n)
	f.mu.Unlock()
	if s != nil {
		return s, nil
	}
	data, err := f.Seals.Get(f.ctx, f.tenant, n)
	if err != nil {
		return nil, fmt.Errorf("read seal %d of %s: %w", n, f.tenant, err)
	}
	o, err := open(data, f.keys)
	if data == nil || err != nil || o.N != n || o.Tenant != f.tenant {
		return nil, nil
	}
	s = &span{N: n, From: o.From, To: o.To, leaves: o.leaves}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.put(f.tenant, s)
	return s, nil
}
