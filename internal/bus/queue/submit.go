package queue

import (
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
)

// HeaderTraceparent is in lower case like all W3C names: NATS header keys are
// case-sensitive.
const HeaderTraceparent = "traceparent"

// Submit puts a call onto the work queue of its pool. Done is called once; nil means that
// the call is accepted: stored, to be delivered until it has a result. natsio.ErrFull is
// back-pressure.
func (b *Calls) Submit(e *call.Call, done func(error)) {
	id := ""
	if e.Copy {
		// One copy in a duplicate window is enough. The id is per stream, not per tenant. A
		// first copy needs none: no other process sends it. A granted call has another id
		// than a copy of it that arrived while it waited and has left the queue.
		id = e.Tenant + "/" + e.ID
		if e.ConsentID != "" {
			id += "/" + e.ConsentID
		}
		if e.Connected != "" {
			id += "/" + e.Connected
		}
	}
	if e.Wake > 0 {
		// Two dispatchers may wake a program by the same number.
		id = e.Tenant + "/" + e.ID + "/wake-" + strconv.Itoa(e.Wake)
	}
	b.submit(e, id, done)
}

// submit publishes a call; messages with the same id are stored once in a duplicate window.
func (b *core) submit(e *call.Call, id string, done func(error)) {
	data, err := e.Encode()
	if err != nil {
		done(fmt.Errorf("encode call: %w", err))
		return
	}
	msg := &nats.Msg{Subject: b.subj.Lane(e.Tenant, e.Pool, e.Lane, e.Tool), Data: data}
	if id != "" || e.Traceparent != "" { // true for few calls
		msg.Header = nats.Header{}
	}
	if id != "" {
		msg.Header["Nats-Msg-Id"] = []string{id}
	}
	if e.Traceparent != "" {
		msg.Header[HeaderTraceparent] = []string{e.Traceparent}
	}
	b.conn.Publish(msg, func(_ natsio.Ack, err error) { done(err) })
}
