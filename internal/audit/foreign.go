package audit

import (
	"github.com/helve-dev/helve/internal/audit/scan"
	"github.com/helve-dev/helve/tool"
)

// unknownAbout is the last subject token of a record that is about no tool.
const unknownAbout = "unknown"

// isRecord reports whether bytes of the stream are a record of the tenant and the tool
// that its subject names. An unknown phase may come from a newer version. tenant and
// about are "" if they are not known.
func isRecord(tenant, about string, data []byte) bool {
	if f, ok := scan.Record(data); ok && f.Micros != scan.NoTime {
		return isOf(tenant, about, f.Values[scan.ID], f.Values[scan.Phase], f.Values[scan.Tenant], f.Values[scan.Tool])
	}
	r, err := Decode(data)
	return err == nil && !r.Time.IsZero() && isOf(tenant, about, r.ID, string(r.Phase), r.Tenant, r.Tool)
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
func leafOf(m *Message, part int, data []byte) (h Hash, foreign bool) {
	at := Place{m.Seq, part}
	if isRecord(m.Tenant, m.recordAbout(), data) {
		return leaf(at, digest(data)), false
	}
	return foreignLeaf(at, digest(data)), true
}
