package audit

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/protocol"
)

// FinalID is the prefix of the id of the last record of a call.
const FinalID = "f-"

// FinalOf returns the id of a last record of a call, and "" for any other record, such
// as that of a superseded result. An id is valid only for the call that it names: a
// record of another call hides nothing.
func FinalOf(r *protocol.AuditRecord) string {
	if r.CallID == "" || r.Phase == protocol.AuditSuperseded || !strings.HasPrefix(r.ID, FinalID+r.CallID+"-") {
		return ""
	}
	return r.ID
}

// Once removes the second copies of last records from a page that [Lookup.Mark] has
// marked. It removes a copy only after a sealed record on this page or in p.Before: a
// record that was inserted into the copy of the trail, or is not sealed yet, hides
// nothing.
func (l *Lookup) Once(ctx context.Context, q *Query, p *Page) error {
	shown := map[string]bool{}
	if p.Before != nil {
		// Their problems were reported with the page that contains them.
		if _, err := l.Mark(ctx, q, p.Before); err != nil {
			return err
		}
		for i := range p.Before.Records {
			shownOnce(&p.Before.Records[i], shown)
		}
	}
	kept := 0
	for i := range p.Records {
		if shownOnce(&p.Records[i], shown) {
			p.Records[kept], p.Stored[kept] = p.Records[i], p.Stored[i]
			kept++
		}
	}
	p.Records, p.Stored, p.Before = p.Records[:kept], p.Stored[:kept], nil
	return nil
}

// shownOnce reports whether a record is to be shown after the last records in shown,
// and adds its id to them if it is sealed.
func shownOnce(r *protocol.AuditRecord, shown map[string]bool) bool {
	id := FinalOf(r)
	if id == "" || r.Problem != "" {
		return true
	}
	if shown[id] {
		return false
	}
	if r.Sealed != nil && *r.Sealed {
		shown[id] = true
	}
	return true
}
