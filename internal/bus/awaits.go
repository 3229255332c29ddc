package bus

import "github.com/nats-io/nats.go"

// Awaits is where a dispatcher hears that a call it waits for waits for a
// person.
func (s Subjects) Awaits(tenant, origin, callID string) string {
	return s.of(tenant, "awaits", origin, callID)
}

// TellAwaits tells the dispatcher that accepted a call that it is parked. It is
// not stored: whoever misses it looks for the parked call.
func (b *Bus) TellAwaits(tenant, origin, callID, consentID string) error {
	return b.nc.Publish(b.subj.Awaits(tenant, origin, callID), []byte(consentID))
}

// heard tells those who wait for a call that it awaits a person. They go on
// waiting for its result.
func (in *Inbox) heard(msg *nats.Msg) {
	tenant, callID := in.bus.subj.tenantAndLast(msg.Subject)
	key := inboxKey(tenant, callID)
	s := in.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.waiting[key] {
		select {
		case e.awaits <- string(msg.Data):
		default: // it has been told
		}
	}
}
