package audit

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// twisted is a trail that somebody has changed behind the server's back: the
// server itself lets nobody delete or replace.
type twisted struct {
	Source
	Seals
	records func([]Message) []Message
	seals   func([][]byte) [][]byte
}

func (w *twisted) Read(ctx context.Context, from, to uint64, tenant string, each func(Message) error) error {
	var all []Message
	err := w.Source.Read(ctx, from, to, tenant, func(m Message) error {
		m.Data = bytes.Clone(m.Data)
		all = append(all, m)
		return nil
	})
	for _, m := range w.records(all) {
		if err == nil {
			err = each(m)
		}
	}
	return err
}

// sealsOf is the twisted half of Seals; the methods' names are the same.
type sealsOf struct{ *twisted }

func (s sealsOf) Read(ctx context.Context, tenant string, each func(uint64, []byte) error) error {
	var numbers []uint64
	var all [][]byte
	err := s.Seals.Read(ctx, tenant, func(n uint64, data []byte) error {
		numbers, all = append(numbers, n), append(all, bytes.Clone(data))
		return nil
	})
	for i, data := range s.seals(all) {
		if err == nil && data != nil {
			err = each(numbers[i], data)
		}
	}
	return err
}

func (s sealsOf) Write(ctx context.Context, tenant string, n uint64, seal []byte) error {
	return s.Seals.Write(ctx, tenant, n, seal)
}

func asIs[T any](x T) T { return x }

func without[T any](i, n int) func([]T) []T {
	return func(all []T) []T { return slices.Delete(all, i, i+n) }
}

// TestVerifyNamesWhatWasTamperedWith: twelve records, three seals of four.
func TestVerifyNamesWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 12)
	tr.sealFours("acme")
	ok(t, "untouched", tr.verify("acme"), 12)
	forged := func(change func(*Seal, head)) func([][]byte) [][]byte {
		return func(all [][]byte) [][]byte {
			first, err := open(all[0], ring(publicOf(tr.key)))
			if err != nil {
				t.Fatal(err)
			}
			second, err := open(all[1], ring(publicOf(tr.key)))
			if err != nil {
				t.Fatal(err)
			}
			change(&second.Seal, first.head())
			all[1], _ = second.encode()
			return all
		}
	}
	for _, tt := range []struct {
		name    string
		records func([]Message) []Message
		seals   func([][]byte) [][]byte
		kind    protocol.AuditProblemKind
		seq     uint64
		found   uint64
	}{
		{"changed", func(all []Message) []Message { all[4].Data[30] ^= 1; return all }, nil, protocol.ProblemChanged, 5, 1},
		{"emptied", func(all []Message) []Message { all[4].Data = nil; return all }, nil, protocol.ProblemChanged, 5, 1},
		{"replaced by another", func(all []Message) []Message { all[6].Data = all[5].Data; return all }, nil, protocol.ProblemReordered, 7, 1},
		{"two swapped", func(all []Message) []Message {
			all[5].Data, all[6].Data = all[6].Data, all[5].Data
			return all
		}, nil, protocol.ProblemReordered, 6, 2},
		{"out of order", func(all []Message) []Message { all[5], all[6] = all[6], all[5]; return all }, nil, protocol.ProblemReordered, 6, 1},
		{"missing in the middle", without[Message](5, 1), nil, protocol.ProblemMissing, 6, 1},
		{"missing at a seal's end", without[Message](7, 1), nil, protocol.ProblemMissing, 8, 1},
		{"missing first", without[Message](0, 1), nil, protocol.ProblemMissing, 1, 1},
		{"a seal's records missing", without[Message](4, 4), nil, protocol.ProblemMissing, 7, 4},
		{"cut off", without[Message](10, 2), nil, protocol.ProblemCutOff, 11, 1},
		{"all cut off", without[Message](0, 12), nil, protocol.ProblemCutOff, 1, 1},
		{"twice", func(all []Message) []Message { return slices.Insert(all, 5, all[4]) }, nil, protocol.ProblemAdded, 5, 1},
		{"seal missing", nil, func(all [][]byte) [][]byte { all[1] = nil; return all }, protocol.ProblemSealMissing, 9, 1},
		{"first seal missing", nil, func(all [][]byte) [][]byte { all[0] = nil; return all }, protocol.ProblemSealMissing, 5, 1},
		{"last seal missing", nil, func(all [][]byte) [][]byte { all[2] = nil; return all }, protocol.ProblemCutOff, 12, 1},
		{"seal unreadable", nil, func(all [][]byte) [][]byte { all[1] = all[1][1:]; return all }, protocol.ProblemSealChanged, 0, 1},
		{"seal's range changed", nil, forged(func(s *Seal, _ head) { s.From-- }), protocol.ProblemSealChanged, 8, 1},
		{"seal's leaves changed", nil, forged(func(s *Seal, _ head) { s.Leaves[5] ^= 1 }), protocol.ProblemSealChanged, 8, 1},
		{"seal's time changed", nil, forged(func(s *Seal, _ head) { s.Time = s.Time.Add(1) }), protocol.ProblemSealChanged, 8, 1},
		{"seal of another key", nil, forged(func(s *Seal, h head) {
			l, _ := unpack(s.Leaves, s.Version, s.From, s.Count)
			*s = seal("acme", h, l, s.Time, testKey("somebody")).Seal
		}), protocol.ProblemSealForged, 8, 1},
		{"seal of another tenant", nil, forged(func(s *Seal, h head) {
			l, _ := unpack(s.Leaves, s.Version, s.From, s.Count)
			*s = seal("other", h, l, s.Time, tr.key).Seal
		}), protocol.ProblemSealForged, 8, 1},
		{"seal of another chain", nil, forged(func(s *Seal, h head) {
			l, _ := unpack(s.Leaves, s.Version, s.From, s.Count)
			h.Hash[0] ^= 1
			*s = seal("acme", h, l, s.Time, tr.key).Seal
		}), protocol.ProblemSealForged, 8, 1},
		{"seals swapped", nil, func(all [][]byte) [][]byte { all[0], all[1] = all[1], all[0]; return all }, protocol.ProblemSealForged, 8, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &twisted{tr.src, tr.sls, asIs[[]Message], asIs[[][]byte]}
			if tt.records != nil {
				w.records = tt.records
			}
			if tt.seals != nil {
				w.seals = tt.seals
			}
			v := tr.verifier()
			v.Source, v.Seals = w, sealsOf{w}
			r, err := v.Verify(t.Context(), "acme", Range{})
			if err != nil {
				t.Fatal(err)
			}
			if !has(r, tt.kind, tt.seq) || r.Found != tt.found {
				t.Errorf("report %+v, want %s at %d among %d", r, tt.kind, tt.seq, tt.found)
			}
		})
	}
}

// TestAddedRecordIsFound: a record of another tenant turns up as one of ours.
func TestAddedRecordIsFound(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	for i := range 4 {
		tr.record("acme", i)
		tr.record("other", i)
	}
	tr.seal("acme", "other")
	v := tr.verifier()
	w := &twisted{tr.src, tr.sls, func(all []Message) []Message {
		return slices.Insert(all, 1, Message{Seq: 2, Tenant: "acme", Data: []byte(`{}`)})
	}, asIs[[][]byte]}
	v.Source = w
	r, err := v.Verify(t.Context(), "acme", Range{})
	if err != nil {
		t.Fatal(err)
	}
	if !has(r, protocol.ProblemAdded, 2) || r.Found != 1 {
		t.Errorf("report %+v, want record 2 as added", r)
	}
}

func TestReportListsAHundredAndCountsAll(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 250)
	tr.seal("acme")
	v := tr.verifier()
	v.Source = &twisted{tr.src, tr.sls, func(all []Message) []Message {
		return slices.DeleteFunc(all, func(m Message) bool { return m.Seq%2 == 1 })
	}, nil}
	r, err := v.Verify(t.Context(), "acme", Range{})
	if err != nil {
		t.Fatal(err)
	}
	if r.OK || len(r.Problems) != MaxProblems || r.Found != 125 {
		t.Errorf("%d problems listed of %d, want %d of 125", len(r.Problems), r.Found, MaxProblems)
	}
}

// TestUnsealedIsAProblemOnlyWhenItIsOld: nobody has sealed.
func TestUnsealedIsAProblemOnlyWhenItIsOld(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 3)
	ok(t, "young", tr.verify("acme"), 3)
	v := tr.verifier()
	v.Now = func() time.Time { return time.Now().Add(2 * sealLate) }
	r, err := v.Verify(t.Context(), "acme", Range{})
	if err != nil {
		t.Fatal(err)
	}
	if !has(r, protocol.ProblemUnsealed, 1) || r.Found != 1 {
		t.Errorf("report %+v, want record 1 as unsealed", r)
	}
}

// TestRetentionExplainsWhatIsOld: records and seals at the beginning are gone.
func TestRetentionExplainsWhatIsOld(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 12)
	tr.sealFours("acme")
	for _, tt := range []struct {
		keep  time.Duration
		from  uint64
		later time.Duration
		gone  int
		seals int
		clean bool
	}{
		{0, 0, 0, 6, 0, false},
		{24 * time.Hour, 0, 0, 6, 0, false},
		{24 * time.Hour, 0, 25 * time.Hour, 6, 0, true},
		{24 * time.Hour, 0, 25 * time.Hour, 6, 1, true},
		{24 * time.Hour, 0, 0, 6, 1, false},
		{0, 7, 0, 6, 0, true},
		{0, 7, 0, 6, 1, true},
		{0, 6, 0, 6, 0, false},
	} {
		t.Run(fmt.Sprintf("%+v", tt), func(t *testing.T) {
			w := &twisted{younger{tr.src, uint64(tt.gone + 1)}, tr.sls, without[Message](0, tt.gone), func(all [][]byte) [][]byte {
				clear(all[:tt.seals])
				return all
			}}
			v := tr.verifier()
			v.Source, v.Seals, v.Keep, v.From = w, sealsOf{w}, tt.keep, tt.from
			v.Now = func() time.Time { return time.Now().Add(tt.later) }
			r, err := v.Verify(t.Context(), "acme", Range{})
			if err != nil {
				t.Fatal(err)
			}
			if r.OK != tt.clean {
				t.Errorf("report %+v, want clean %v", r, tt.clean)
			}
		})
	}
}

// younger is a stream that begins later.
type younger struct {
	Source
	first uint64
}

func (y younger) Extent(ctx context.Context, tenant string) (Extent, error) {
	e, err := y.Source.Extent(ctx, tenant)
	e.First, e.Own = y.first, 0
	return e, err
}

// TestVerifyBesideASealer: what comes while we look is no problem.
func TestVerifyBesideASealer(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	stop := tr.start(tr.sealer())
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		tr.records("acme", 400)
	}()
	for looking := true; looking; {
		select {
		case <-done:
			looking = false
		default:
		}
		if r := tr.verify("acme"); !r.OK {
			t.Fatalf("report %+v, want it clean", r)
		}
	}
	tr.sealedTo("acme")
	ok(t, "at the end", tr.verify("acme"), 400)
}
