package audit

import (
	"context"
	"slices"
	"testing"

	"github.com/helve-dev/helve/protocol"
)

// numberedSeals replaces single seals of a trail.
type numberedSeals struct {
	Seals
	data map[uint64][]byte
}

func (s numberedSeals) Get(ctx context.Context, tenant string, n uint64) ([]byte, error) {
	if data, ok := s.data[n]; ok {
		return data, nil
	}
	return s.Seals.Get(ctx, tenant, n)
}

// TestVerifyRange: sixteen records, four seals of four. A range is extended to whole seals,
// and only what is wrong in it or at its ends is found.
func TestVerifyRange(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 16)
	tr.sealFours("acme")
	key := KeyID(publicOf(tr.key))
	other, err := func() ([]byte, error) { // seal 2 of another chain
		data, err := tr.sls.Get(t.Context(), "acme", 2)
		if err != nil {
			return nil, err
		}
		o, err := open(data, ring(publicOf(tr.key)))
		if err != nil {
			return nil, err
		}
		s := seal("acme", head{N: 1, To: o.From - 1, Time: o.PrevTime}, o.leaves, o.Time, tr.key)
		return s.encode()
	}()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		r         Range
		records   func([]Message) []Message
		seals     map[uint64][]byte
		from, to  uint64
		n         uint64
		kind      protocol.AuditProblemKind // empty if the range is valid
		seq       uint64
		unchecked bool
	}{
		{name: "one record", r: Range{6, 6}, from: 5, to: 8, n: 4},
		{name: "two seals", r: Range{8, 9}, from: 5, to: 12, n: 8},
		{name: "to the end", r: Range{From: 10}, from: 9, to: 16, n: 8},
		{name: "from the beginning", r: Range{To: 3}, from: 1, to: 4, n: 4},
		{name: "beyond the end", r: Range{14, 99}, from: 13, to: 16, n: 4},
		{name: "a change elsewhere", r: Range{6, 6}, records: changed(12), from: 5, to: 8, n: 4},
		{name: "a change in it", r: Range{6, 6}, records: changed(6), from: 5, to: 8, n: 4, kind: protocol.ProblemChanged, seq: 7},
		{name: "its seal is gone", r: Range{6, 6}, seals: map[uint64][]byte{2: nil}, kind: protocol.ProblemSealMissing, seq: 6, unchecked: true},
		{
			name: "the seal before is gone", r: Range{9, 9}, seals: map[uint64][]byte{2: nil}, from: 9, to: 12, n: 4,
			kind: protocol.ProblemSealMissing, seq: 9,
		},
		{
			name: "the seal before is of another chain", r: Range{9, 9}, seals: map[uint64][]byte{2: other}, from: 9, to: 12, n: 4,
			kind: protocol.ProblemSealForged, seq: 12,
		},
		{
			name: "the seal after is of another chain", r: Range{1, 1}, seals: map[uint64][]byte{2: other}, from: 1, to: 4, n: 4,
			kind: protocol.ProblemSealForged, seq: 8,
		},
		{
			name: "the seal after is gone", r: Range{1, 1}, seals: map[uint64][]byte{2: nil}, from: 1, to: 4, n: 4,
			kind: protocol.ProblemSealMissing, seq: 5,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &twisted{tr.src, tr.sls, asIs[[]Message], asIs[[][]byte]}
			if tt.records != nil {
				w.records = tt.records
			}
			v := tr.verifier()
			v.Source, v.Seals = w, numberedSeals{tr.sls, tt.seals}
			r, err := v.Verify(t.Context(), "acme", tt.r)
			if err != nil {
				t.Fatal(err)
			}
			if r.OK != (tt.kind == "") || !r.OK && (!has(r, tt.kind, tt.seq) || r.Found != 1) {
				t.Errorf("report %+v, want %q at %d only", r, tt.kind, tt.seq)
			}
			if r.FromSeq != tt.from || r.ToSeq != tt.to || r.Records != tt.n || !tt.unchecked && r.OK && !slices.Equal(r.KeyIDs, []string{key}) {
				t.Errorf("report %+v, want %d records from %d to %d, signed with %s", r, tt.n, tt.from, tt.to, key)
			}
		})
	}
}

// changed returns a function that changes the record at an index of those that are read, which
// begin with the first record of the trail.
func changed(i int) func([]Message) []Message {
	return func(all []Message) []Message {
		for n := range all {
			if all[n].Seq == uint64(i)+1 {
				all[n].Data[30] ^= 1
			}
		}
		return all
	}
}

// TestVerifyRangeWithoutSeals: nothing is sealed, and nothing is wrong.
func TestVerifyRangeWithoutSeals(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 2)
	r, err := tr.verifier().Verify(t.Context(), "acme", Range{From: 1})
	if err != nil || !r.OK || r.SealedTo != 0 || r.Records != 2 {
		t.Errorf("report %+v, %v, want two records without a seal", r, err)
	}
}
