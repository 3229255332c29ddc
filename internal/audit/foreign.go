package audit

import (
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/audit/scan"
	"github.com/helve-dev/helve/tool"
)

// unknownAbout is the last subject token of a record that is about no tool.
const unknownAbout = "unknown"

// isRecord reports whether bytes of the stream are a record of the tenant and the tool
// that its subject names. An unknown phase may come from a newer version. tenant and
// about are "" if they are not known.
func isRecord(tenant, about string, data []byte) bool {
	_, ok := claim(tenant, about, data)
	return ok
}

// claim is [isRecord], and returns what the record says about its writer.
func claim(tenant, about string, data []byte) (proof.Claim, bool) {
	if f, ok := scan.Record(data); ok && f.Micros != scan.NoTime {
		says := proof.Claim{Worker: f.Values[scan.Worker], Phase: f.Values[scan.Phase]}
		return says, isOf(tenant, about, f.Values[scan.ID], f.Values[scan.Phase], f.Values[scan.Tenant], f.Values[scan.Tool])
	}
	r, err := Decode(data)
	return proof.Claim{
		Worker: []byte(r.Worker), Phase: []byte(r.Phase),
	}, err == nil && !r.Time.IsZero() && isOf(tenant, about, r.ID, string(r.Phase), r.Tenant, r.Tool)
}

// isOf reports whether a record with these members may have the subject.
func isOf[T ~string | ~[]byte](tenant, about string, id, phase, of, name T) bool {
	switch {
	case tenant != "" && string(of) != tenant, len(phase) == 0, len(id) == 0:
		return false
	case about == "" || about == string(name):
		return true
	}
	return about == unknownAbout && !tool.ValidName(string(name))
}

// leafOf returns the leaf of the bytes at a place of a message, whether they are a
// record or not. A seal covers both, so that foreign bytes hide no gap, and
// distinguishes them.
func leafOf(m *Message, part int, data []byte, prove Prover) (h Hash, writer proof.Verdict, foreign bool) {
	at := Place{m.Seq, part}
	says, ok := claim(m.Tenant, m.recordAbout(), data)
	if !ok {
		return foreignLeaf(at, digest(data)), proof.Unexamined, true
	}
	if prove != nil {
		writer = prove(data, says)
	}
	return leafBy(writer, at, digest(data)), writer, false
}

// Prover returns the verdict about the writer of a record; [proof.Checker.Check] is one.
type Prover func(record []byte, says proof.Claim) proof.Verdict
