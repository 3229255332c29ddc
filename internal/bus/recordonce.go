package bus

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// RecordOnce is Record for a record that more than one process may write: of
// those that come with one audit_id the server stores the first and
// acknowledges each, for as long as its duplicate window lasts. A record that
// was stored by Record has no such mark.
func (b *Bus) RecordOnce(tenant, about, auditID string, data []byte, done func(error)) {
	if !isName(tenant) {
		done(fmt.Errorf("record: %.80q cannot be a tenant", tenant))
		return
	}
	b.publish(&nats.Msg{
		Subject: b.subj.Audit(tenant, about), Data: data,
		Header: nats.Header{"Nats-Msg-Id": {tenant + "/" + auditID}}, // the id is per stream, not per tenant
	}, func(_ stored, err error) { done(err) })
}
