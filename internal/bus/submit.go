package bus

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// Header keys are case-sensitive on NATS: W3C names are lower-case.
const headerTraceparent = "traceparent"

// Submit puts a call onto the work queue of its pool. Done is called once; nil
// means that the call is accepted: stored, to be delivered until it has a
// result. ErrFull is back-pressure.
func (b *Bus) Submit(e *Envelope, done func(error)) {
	data, err := e.encode()
	if err != nil {
		done(fmt.Errorf("encode call: %w", err))
		return
	}
	header := nats.Header{}
	if e.Again {
		// One copy in a duplicate window is enough. The id is per stream, not
		// per tenant. A first copy needs none: nobody else sends it. A granted
		// call has another than a copy of it that came while it waited and is
		// gone from the queue.
		id := e.Tenant + "/" + e.CallID
		if e.ConsentID != "" {
			id += "/" + e.ConsentID
		}
		header["Nats-Msg-Id"] = []string{id}
	}
	if e.Traceparent != "" {
		header[headerTraceparent] = []string{e.Traceparent}
	}
	b.publish(&nats.Msg{
		Subject: b.subj.Call(e.Tenant, e.Pool, e.Tool), Header: header, Data: data,
	}, func(_ stored, err error) { done(err) })
}
