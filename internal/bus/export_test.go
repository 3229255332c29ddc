package bus

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What follows opens the inside of the package to its tests.

// GiveUpAcks ends every wait for an acknowledgement as if its time were over.
func (b *Bus) GiveUpAcks() { b.acks.expire(time.Now().Add(time.Hour)) }

// JetStream is the bus's own view of JetStream.
func (b *Bus) JetStream() jetstream.JetStream { return b.js }

// WrapCallData puts a store in front of that of large arguments.
func (b *Bus) WrapCallData(wrap func(jetstream.ObjectStore) jetstream.ObjectStore) {
	b.callData = wrap(b.callData)
}
