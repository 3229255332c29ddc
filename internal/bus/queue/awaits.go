package queue

import "github.com/nats-io/nats.go"

// Awaits is the subject on which a dispatcher is notified that a call it waits for is
// parked.
func (s Subjects) Awaits(tenant, origin, callID string) string {
	return s.Of(tenant, "awaits", origin, callID)
}

// TellAwaits notifies the dispatcher that accepted a call that it is parked. The message is
// not stored: a dispatcher that misses it looks for the parked call.
func (b *Owners) TellAwaits(tenant, origin, callID, consentID string) error {
	return b.conn.NATS().Publish(b.subj.Awaits(tenant, origin, callID), []byte(consentID))
}

// heard notifies those waiting for a call that it is parked. They continue to wait for its
// result.
func (in *Inbox) heard(msg *nats.Msg) {
	tenant, callID := in.queue.subj.TenantAndLast(msg.Subject)
	key := inboxKey{tenant, callID}
	s := in.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.waiting[key] {
		select {
		case e.awaits <- string(msg.Data):
		default: // it has been notified
		}
	}
}
