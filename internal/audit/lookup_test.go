package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/protocol"
)

// lookup returns a Lookup of the trail's seals that counts what it reads.
func (tr *trail) lookup() (*Lookup, *countedSeals) {
	counted := &countedSeals{Seals: tr.sls}
	return &Lookup{Seals: counted, Keys: func(context.Context) ([]ed25519.PublicKey, error) {
		return []ed25519.PublicKey{publicOf(tr.key)}, nil
	}}, counted
}

type countedSeals struct {
	Seals
	gets atomic.Int64
	gone map[uint64]bool
}

func (c *countedSeals) Get(ctx context.Context, tenant string, n uint64) ([]byte, error) {
	c.gets.Add(1)
	if c.gone[n] {
		return nil, nil
	}
	return c.Seals.Get(ctx, tenant, n)
}

// page returns the records of a tenant as a copy shows them that is right.
func (tr *trail) page(tenant string) (p Page) {
	tr.t.Helper()
	err := tr.src.Read(tr.t.Context(), 1, 1<<60, tenant, func(m Message) error {
		for part, data := range m.Records() {
			r, err := Decode(data)
			r.Seq, r.Part, r.Tenant = m.Seq, part, tenant
			p.Records, p.Stored = append(p.Records, r), append(p.Stored, bytes.Clone(data))
			_ = err // the record is empty then
		}
		return nil
	})
	if err != nil {
		tr.t.Fatal(err)
	}
	return p
}

// TestLookupMarksRecords changes one record of a copy in each way there is.
func TestLookupMarksRecords(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 12)
	tr.records("other", 1) // 13
	tr.records("acme", 11)
	if err := stream.On(tr.q.Conn).RecordWait(t.Context(), "acme", "read_file", []byte("junk")); err != nil {
		t.Fatal(err)
	}
	tr.sealFours("acme")
	tr.records("acme", 2)
	all := Query{Tenant: "acme"}
	for _, tt := range []struct {
		name   string
		q      Query
		change func(*Page, *countedSeals)
		seq    uint64
		kind   protocol.AuditProblemKind
	}{
		{"as it is", all, func(*Page, *countedSeals) {}, 0, ""},
		{"changed", all, func(p *Page, _ *countedSeals) { p.Stored[4][30] ^= 1 }, 5, protocol.ProblemChanged},
		{"moved", all, func(p *Page, _ *countedSeals) { p.Stored[4] = p.Stored[5] }, 5, protocol.ProblemChanged},
		{"invented", all, func(p *Page, _ *countedSeals) { p.Records[11].Seq = 13 }, 13, protocol.ProblemAdded},
		{"of another filter", Query{Tenant: "acme", User: "u2"}, func(p *Page, _ *countedSeals) {
			p.Records, p.Stored = p.Records[2:3], p.Stored[2:3]
		}, 3, protocol.ProblemIndexChanged},
		{"seal gone", all, func(_ *Page, c *countedSeals) { c.gone = map[uint64]bool{2: true} }, 6, protocol.ProblemSealMissing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, seals := tr.lookup()
			p := tr.page("acme")
			tt.change(&p, seals)
			problems, err := l.Mark(t.Context(), &tt.q, &p)
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Records {
				r := &p.Records[i]
				var named protocol.AuditProblemKind
				for _, problem := range problems {
					if problem.Seq == r.Seq {
						named = problem.Kind
					}
				}
				if r.Sealed == nil || r.Problem != named || r.Seq == tt.seq && named != tt.kind {
					t.Errorf("record %d: %+v, named %q, want problem %q at %d", r.Seq, r, named, tt.kind, tt.seq)
				}
				if honest := named == "" && r.Seq <= 25; *r.Sealed != honest && named != protocol.ProblemIndexChanged {
					t.Errorf("record %d is sealed: %v with problem %q, want %v", r.Seq, *r.Sealed, named, honest)
				}
				if tt.kind == "" && named != "" && (r.Seq != 25 || named != protocol.ProblemForeign) {
					t.Errorf("record %d has the problem %q, want that of 25 alone", r.Seq, named)
				}
			}
		})
	}
}

// TestLookupReadsFewSeals checks that sparse pages need few reads, and that what was
// read is used again.
func TestLookupReadsFewSeals(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 400)
	tr.sealFours("acme")
	l, seals := tr.lookup()
	p := tr.page("acme")
	sparse := Page{}
	for i := 0; i < 400; i += 50 {
		sparse.Records, sparse.Stored = append(sparse.Records, p.Records[i]), append(sparse.Stored, p.Stored[i])
	}
	for round, most := range []int64{8 * 14, 0} {
		before := seals.gets.Load()
		if problems, err := l.Mark(t.Context(), &Query{Tenant: "acme"}, &sparse); err != nil || len(problems) > 0 {
			t.Fatalf("Mark = %v, %v", problems, err)
		}
		for _, r := range sparse.Records {
			if !*r.Sealed {
				t.Errorf("record %d is not sealed", r.Seq)
			}
		}
		if n := seals.gets.Load() - before; n > most {
			t.Errorf("round %d read %d seals, want at most %d", round, n, most)
		}
	}
}

// TestSealCacheIsBounded checks that only the most recently used seals are kept.
func TestSealCacheIsBounded(t *testing.T) {
	t.Parallel()
	var c sealCache
	big := leaves{places: make([]Place, cacheLeaves/4)}
	for n := range uint64(10) {
		c.put("acme", &span{N: n, leaves: big})
		c.get("acme", 0)
	}
	if c.leaves > cacheLeaves || c.get("acme", 0) == nil || c.get("acme", 9) == nil || c.get("acme", 1) != nil {
		t.Errorf("%d leaves are kept of seals 0 and 9 %v, %v", c.leaves, c.get("acme", 0), c.get("acme", 9))
	}
	for n := range uint64(3 * cacheSeals) {
		c.put(fmt.Sprint("t", n%7), &span{N: n})
	}
	if len(c.byID) > cacheSeals || c.order.Len() != len(c.byID) {
		t.Errorf("%d seals are kept, in a list of %d", len(c.byID), c.order.Len())
	}
}
