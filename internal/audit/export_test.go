package audit

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
)

func (tr *trail) verifyFile(data []byte) protocol.AuditReport {
	tr.t.Helper()
	r, err := VerifyFile(bytes.NewReader(data), publicOf(testKey("old")), publicOf(tr.key))
	if err != nil {
		tr.t.Fatal(err)
	}
	return r
}

// exported returns a trail of twelve records under three seals, and its export.
func exported(t *testing.T) (*trail, []byte) {
	tr := newTrail(t)
	tr.records("acme", 12)
	tr.sealFours("acme")
	tr.record("other", 0)
	tr.seal("other")
	return tr, tr.export("acme", Query{}, 0)
}

func TestExportIsTheSameInPagesOfAnySize(t *testing.T) {
	t.Parallel()
	tr, whole := exported(t)
	r := tr.verifyFile(whole)
	ok(t, "whole", r, 12)
	if r.SealedTo != 12 {
		t.Errorf("sealed to %d, want 12", r.SealedTo)
	}
	body := func(export []byte) [][]byte { // without the header, which has a time
		lines := bytes.Split(export, []byte("\n"))
		return lines[1 : len(lines)-2]
	}
	for limit := range 17 {
		paged := tr.export("acme", Query{}, limit)
		ok(t, fmt.Sprint("pages of ", limit), tr.verifyFile(paged), 12)
		if !slices.EqualFunc(body(paged), body(whole), bytes.Equal) {
			t.Errorf("pages of %d differ from the whole", limit)
		}
	}
	ok(t, "another tenant's", tr.verifyFile(tr.export("other", Query{}, 0)), 1)
	ok(t, "nobody's", tr.verifyFile(tr.export("nobody", Query{}, 0)), 0)
}

// TestEveryFlippedByteIsFound: in any byte of an export, line ends included.
func TestEveryFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it checks an export once for each byte")
	tr := newTrail(t)
	tr.records("acme", 2)
	tr.block("acme", tr.lines("acme", 2, 3)...)
	tr.seal("acme")
	export := tr.export("acme", Query{}, 0)
	for at := range export {
		for _, flip := range []byte{0x01, 0x20, 0x80} {
			damaged := bytes.Clone(export)
			damaged[at] ^= flip
			if r := tr.verifyFile(damaged); r.OK || r.Found == 0 {
				t.Fatalf("byte %d with %#x flipped: %+v, want it found", at, flip, r)
			}
		}
	}
}

func TestExportCutAnywhereIsFound(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 2)
	tr.block("acme", tr.lines("acme", 2, 3)...)
	tr.seal("acme")
	export := tr.export("acme", Query{}, 0)
	for at := range export {
		if r := tr.verifyFile(export[:at]); r.OK ||
			!slices.ContainsFunc(r.Problems, func(p protocol.AuditProblem) bool { return p.Kind == protocol.ProblemCutOff }) {
			t.Fatalf("cut at byte %d: %+v, want it cut off", at, r)
		}
	}
}

func TestTamperedExportNamesWhat(t *testing.T) {
	t.Parallel()
	tr, export := exported(t)
	lines := bytes.SplitAfter(export, []byte("\n"))
	lines = lines[:len(lines)-1] // header, 4 records, seal, 4 records, seal, 4 records, seal, trailer
	for _, tt := range []struct {
		name   string
		change func([][]byte) [][]byte
		kind   protocol.AuditProblemKind
		seq    uint64
	}{
		{"record changed", func(l [][]byte) [][]byte { l[3][40] ^= 1; return l }, protocol.ProblemChanged, 3},
		{"record missing", without[[]byte](3, 1), protocol.ProblemMissing, 3},
		{"last record missing", without[[]byte](14, 1), protocol.ProblemCutOff, 12},
		{"record twice", func(l [][]byte) [][]byte { return slices.Insert(l, 3, bytes.Clone(l[3])) }, protocol.ProblemAdded, 3},
		{
			"record added", func(l [][]byte) [][]byte { return slices.Insert(l, 15, []byte("{\"seq\":13,\"raw\":\"\"}\n")) },
			protocol.ProblemAdded, 0,
		},
		{"records swapped", func(l [][]byte) [][]byte { l[2], l[3] = l[3], l[2]; return l }, protocol.ProblemReordered, 2},
		{"record behind its seal", func(l [][]byte) [][]byte { l[4], l[5] = l[5], l[4]; return l }, protocol.ProblemReordered, 4},
		{"records' places swapped", func(l [][]byte) [][]byte {
			l[2][7], l[3][7] = l[3][7], l[2][7]
			return l
		}, protocol.ProblemReordered, 3},
		{"seal missing", without[[]byte](10, 1), protocol.ProblemSealMissing, 9},
		{"last seal missing", without[[]byte](15, 1), protocol.ProblemSealMissing, 0},
		{"record and last seal missing", without[[]byte](11, 5), protocol.ProblemMissing, 0},
		{"seal changed", func(l [][]byte) [][]byte { l[5][60] ^= 1; return l }, protocol.ProblemSealChanged, 4},
		{"trailer missing", without[[]byte](16, 1), protocol.ProblemCutOff, 12},
		{"line added", func(l [][]byte) [][]byte { return slices.Insert(l, 4, []byte("\n")) }, protocol.ProblemAdded, 0},
		{"line behind the end", func(l [][]byte) [][]byte { return append(l, []byte("{}\n")) }, protocol.ProblemAdded, 0},
		{"no header", without[[]byte](0, 1), protocol.ProblemChanged, 0},
	} {
		changed := make([][]byte, len(lines))
		for i, line := range lines {
			changed[i] = bytes.Clone(line)
		}
		r := tr.verifyFile(bytes.Join(tt.change(changed), nil))
		if !has(r, tt.kind, tt.seq) {
			t.Errorf("%s: report %+v, want %s at %d", tt.name, r, tt.kind, tt.seq)
		}
	}
	other, err := VerifyFile(bytes.NewReader(export), publicOf(testKey("other")))
	if err != nil || !has(other, protocol.ProblemSealForged, 4) {
		t.Errorf("with another key: %+v, %v, want the seals as forged", other, err)
	}
	if none, err := VerifyFile(bytes.NewReader(export), nil, ed25519.PublicKey("short")); err != nil || none.OK {
		t.Errorf("without a key: %+v, %v, want it not clean", none, err)
	}
}

func TestFilteredExportVerifiesWhatItHolds(t *testing.T) {
	t.Parallel()
	tr, _ := exported(t)
	export := tr.export("acme", Query{CallID: "acme-0005"}, 3)
	ok(t, "one call", tr.verifyFile(export), 1)
	if n := bytes.Count(export, []byte("\n")); n != 4 {
		t.Errorf("%d lines, want header, record, seal and trailer", n)
	}
	ok(t, "no call", tr.verifyFile(tr.export("acme", Query{CallID: "none"}, 3)), 0)
	ok(t, "all by a filter", tr.verifyFile(tr.export("acme", Query{User: "u1"}, 3)), 12)
	lines := bytes.SplitAfter(export, []byte("\n"))
	if r := tr.verifyFile(bytes.Join(slices.Delete(slices.Clone(lines), 1, 2), nil)); !has(r, protocol.ProblemMissing, 0) {
		t.Errorf("without its record: %+v, want it missing", r)
	}
	lines[1][50] ^= 1
	if r := tr.verifyFile(bytes.Join(lines, nil)); !has(r, protocol.ProblemChanged, 6) {
		t.Errorf("with its record changed: %+v, want record 6 as changed", r)
	}
}

// TestExportHoldsOddRecordsByteForByte: anybody who may publish can store
// anything.
func TestExportHoldsOddRecordsByteForByte(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	odd := []string{
		"", "{}", "no JSON", "{\"a\":1,\n\"b\":2}", `{"raw":"eA=="}`, `{"seq":7,"a":1}`, `{"part":7,"a":1}`, `{"a":1,"a":2}`, `{ "a" : 1 }`,
		"{\"a\":\"\xff\"}", `{"a":"<&\u003c"}`, `{"seal":1}`, `{"audit_id":"x"`,
	}
	for _, text := range odd {
		if err := stream.On(tr.q.Conn).RecordWait(t.Context(), "acme", "", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	tr.seal("acme")
	n := uint64(len(odd))
	export := tr.export("acme", Query{}, 5)
	for what, r := range map[string]protocol.AuditReport{"online": tr.verify("acme"), "exported": tr.verifyFile(export)} {
		if r.Found != n || r.Records != n || r.SealedTo != n || !has(r, protocol.ProblemForeign, 1) || !has(r, protocol.ProblemForeign, n) {
			t.Errorf("%s: %+v, want %d foreign places that are sealed", what, r, n)
		}
	}
	at := 0
	for line := range bytes.Lines(export) {
		if !jsontext.Value(line).IsValid() {
			t.Errorf("line %q is not JSON", line)
		}
		if !bytes.HasPrefix(line, recordLine) {
			continue
		}
		if _, got, err := stored(bytes.TrimSuffix(line, []byte("\n")), exportVersion); err != nil || string(got) != odd[at] {
			t.Errorf("record %q came back as %q, %v", odd[at], got, err)
		}
		at++
	}
	ok(t, "filtered", tr.verifyFile(tr.export("acme", Query{User: "nobody"}, 5)), 0)
}

func TestExportRefusesOtherCursors(t *testing.T) {
	t.Parallel()
	tr, _ := exported(t)
	e := Exporter{Source: tr.src, Seals: tr.sls, Key: tr.key}
	_, cursor, err := e.Page(t.Context(), "acme", Query{}, "", 2)
	if err != nil || cursor == "" {
		t.Fatalf("first page: %q, %v", cursor, err)
	}
	changed := []byte(cursor)
	changed[len(changed)/2] ^= 1
	for name, page := range map[string]func() error{
		"changed": func() error { _, _, err := e.Page(t.Context(), "acme", Query{}, string(changed), 2); return err },
		"short":   func() error { _, _, err := e.Page(t.Context(), "acme", Query{}, "QUJD", 2); return err },
		"no base": func() error { _, _, err := e.Page(t.Context(), "acme", Query{}, "?", 2); return err },
		"tenant":  func() error { _, _, err := e.Page(t.Context(), "other", Query{}, cursor, 2); return err },
		"filter":  func() error { _, _, err := e.Page(t.Context(), "acme", Query{User: "u1"}, cursor, 2); return err },
	} {
		if err := page(); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: %v, want ErrCursor", name, err)
		}
	}
	if _, _, err := e.Page(t.Context(), "acme", Query{}, cursor, 2); err != nil {
		t.Errorf("the right cursor: %v", err)
	}
}

// TestExportWaitsForTheSeal: what was there at its start is sealed in it.
func TestExportWaitsForTheSeal(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.records("acme", 3)
	s := tr.sealer()
	s.Every = 200 * time.Millisecond
	stop := tr.start(s)
	defer stop()
	if r := tr.verifyFile(tr.export("acme", Query{}, 0)); !r.OK || r.SealedTo != 3 {
		t.Errorf("report %+v, want all three sealed", r)
	}
}
