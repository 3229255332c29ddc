package peer

import (
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// queueRelay is the queue group of dispatchers that relay.
const queueRelay = "helve-relay"

// relayWord is part of the subjects of messages that dispatchers relay.
const relayWord = "relay"

// relayed are the words after the tenant in the subjects that are relayed.
var relayed = map[string]bool{"event": true, "audit": true, "consent": true}

// Serve publishes the messages of workers in accounts of their own to which the
// accounts of tenants listen: the server does not pass a message from another account on to
// a third account. An acknowledgement is returned to the worker.
func (b *Relay) Serve() error {
	_, err := b.conn.NATS().QueueSubscribe(b.subj.Of("*", relayWord, ">"), queueRelay, func(msg *nats.Msg) {
		tenant, tokens, ok := b.subj.Split(msg.Subject, 3)
		if !ok || len(tokens) < 3 || !relayed[tokens[1]] {
			return
		}
		out := &nats.Msg{Subject: b.subj.Of(tenant, tokens[1], tokens[2]), Header: msg.Header, Data: msg.Data}
		if msg.Reply != "" {
			out.Reply = b.conn.Replies().Expect(time.Now().Add(natsio.AckTimeout), func(ack *nats.Msg) {
				if ack != nil { // else the worker tries again
					_ = b.conn.Answer(&nats.Msg{Subject: msg.Reply, Header: ack.Header, Data: ack.Data})
				}
			})
		}
		if out.Header != nil { // the server has added the publisher
			for name := range out.Header {
				if strings.HasPrefix(name, "Nats-Request-") {
					delete(out.Header, name)
				}
			}
		}
		_ = b.conn.NATS().PublishMsg(out) // a lost message is not acknowledged, and events are not promised
	})
	return err
}
