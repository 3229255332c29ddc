package audit

import (
	"bytes"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/protocol"
)

// encoded returns a record as it is stored.
func encoded(t *testing.T, change func(*protocol.AuditRecord)) []byte {
	t.Helper()
	r := protocol.AuditRecord{Tenant: "acme", Phase: protocol.AuditFinished, CallID: "c1", Tool: "read_file"}
	change(&r)
	data, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestForeignBytesAreNamed checks what counts as a record under its subject, and
// that all else is sealed as foreign and named by every verification.
func TestForeignBytesAreNamed(t *testing.T) {
	t.Parallel()
	asIs := func(*protocol.AuditRecord) {}
	for _, tt := range []struct {
		name    string
		about   string
		data    []byte
		foreign bool
	}{
		{"a record", "read_file", encoded(t, asIs), false},
		{"of a phase that is not known", "read_file", encoded(t, func(r *protocol.AuditRecord) { r.Phase = "new_phase" }), false},
		{"about no tool", "", encoded(t, func(r *protocol.AuditRecord) { r.Tool = "" }), false},
		{"of a tool without a name", "no name", encoded(t, func(r *protocol.AuditRecord) { r.Tool = "no name" }), false},
		{"no JSON", "read_file", []byte("junk"), true},
		{"empty", "read_file", nil, true},
		{"no members", "read_file", []byte("{}"), true},
		{"without an id", "read_file", bytes.Replace(encoded(t, asIs), []byte(`"audit_id"`), []byte(`"id"`), 1), true},
		{"of another tenant", "read_file", encoded(t, func(r *protocol.AuditRecord) { r.Tenant = "other" }), true},
		{"of another tool", "delete_file", encoded(t, asIs), true},
		{"of a tool, under no tool's subject", "", encoded(t, asIs), true},
		{"a member of another type", "read_file", bytes.Replace(encoded(t, asIs), []byte(`"call_id":"c1"`), []byte(`"call_id":1`), 1), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrail(t)
			tr.records("acme", 2)
			if err := stream.On(tr.q.Conn).RecordWait(t.Context(), "acme", tt.about, tt.data); err != nil {
				t.Fatal(err)
			}
			tr.records("acme", 2)
			if r := tr.verify("acme"); has(r, protocol.ProblemForeign, 3) != tt.foreign {
				t.Errorf("before it is sealed: %+v, want foreign %v", r, tt.foreign)
			}
			tr.seal("acme")
			export := tr.export("acme", Query{}, 0)
			for what, r := range map[string]protocol.AuditReport{"online": tr.verify("acme"), "exported": tr.verifyFile(export)} {
				if has(r, protocol.ProblemForeign, 3) != tt.foreign || r.OK == tt.foreign || len(r.Problems) > 1 || r.SealedTo != 5 || r.Records != 5 {
					t.Errorf("%s: %+v, want foreign %v and nothing else", what, r, tt.foreign)
				}
			}
			if tr.troubles("no record") != tt.foreign {
				t.Errorf("the sealer told %q, want foreign %v", tr.trouble, tt.foreign)
			}
		})
	}
}

// TestForeignBytesHideNothing checks that a place that was sealed as foreign cannot
// be emptied, or given a record, and that a record cannot be replaced by junk.
func TestForeignBytesHideNothing(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	tr.record("acme", 0)
	if err := stream.On(tr.q.Conn).RecordWait(t.Context(), "acme", "read_file", []byte("junk")); err != nil {
		t.Fatal(err)
	}
	tr.record("acme", 1)
	tr.seal("acme")
	junk := func(all []Message) []Message { return slices.Delete(all, 1, 2) }
	for _, tt := range []struct {
		name    string
		records func([]Message) []Message
		kind    protocol.AuditProblemKind
		seq     uint64
	}{
		{"taken away", junk, protocol.ProblemMissing, 2},
		{
			"made a record", func(all []Message) []Message { all[1].Data = encoded(t, func(*protocol.AuditRecord) {}); return all },
			protocol.ProblemChanged, 2,
		},
		{"other junk", func(all []Message) []Message { all[1].Data = []byte("knuj"); return all }, protocol.ProblemChanged, 2},
		{"a record made junk", func(all []Message) []Message { all[0].Data = []byte("junk"); return all }, protocol.ProblemChanged, 1},
		{"under another subject", func(all []Message) []Message { all[0].About = "delete_file"; return all }, protocol.ProblemForeign, 1},
	} {
		w := &twisted{Source: tr.src, Seals: tr.sls, records: tt.records, seals: asIs[[][]byte]}
		v := tr.verifier()
		v.Source, v.Seals = w, sealsOf{w}
		r, err := v.Verify(t.Context(), "acme", Range{})
		if err != nil || !has(r, tt.kind, tt.seq) {
			t.Errorf("%s: %+v, %v, want %s at %d", tt.name, r, err, tt.kind, tt.seq)
		}
	}
}
