package audit

import "github.com/helve-dev/helve/protocol"

// placeOf returns the place of the record in the trail.
func placeOf(r *protocol.AuditRecord) Place { return Place{r.Seq, r.Part} }

// UnreadableRecord returns the replacement for bytes that are not a record of the
// tenant: it repeats nothing of their contents.
func UnreadableRecord(tenant string, at Place) protocol.AuditRecord {
	return protocol.AuditRecord{
		Seq:    at.Seq,
		Part:   at.Part,
		Tenant: tenant,
		Phase:  protocol.AuditUnreadable,
		Detail: "This record cannot be read, because its bytes are no record of this trail; see `helve audit verify`.",
	}
}
