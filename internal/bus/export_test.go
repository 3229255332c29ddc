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

// Restore does what a consumer does on a reconnect.
func (c *Consumer) Restore() { c.mend() }
