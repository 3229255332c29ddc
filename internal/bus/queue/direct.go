package queue

import (
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/call"
)

// QueueDirect is the queue group in which the workers of a pool receive direct calls.
const QueueDirect = "helve-direct"

// directQuick represents the quick lane in the subjects of direct calls.
const directQuick = "quick"

// Direct is the subject on which a call is sent to one worker of its pool without being
// stored. Lane is the lane of the queue that the call would be in.
func (s Subjects) Direct(tenant, pool, lane, tool string) string {
	if lane == Quick {
		lane = directQuick
	}
	return s.Of(tenant, "direct", pool, lane, tool)
}

// Refusal is the reason for which no worker runs a direct call.
type Refusal uint8

const (
	// Busy means that the call would have to wait for a slot, or others do.
	Busy Refusal = iota
	// Unfit means that the call must be queued.
	Unfit
	// Unheard means that no worker of the pool receives direct calls.
	Unheard
)

// Error returns the reason.
func (r Refusal) Error() string {
	return [...]string{"no worker has a free slot", "the call must be queued", "no worker receives direct calls"}[r]
}

// unfit is the body of a message that declines a call for that reason.
const unfit = "unfit"

// testDirect requests a direct call of a pool that no worker has. The server's answer shows
// that this process may publish direct calls; without it no call is sent directly, as with
// credentials that do not permit it, whose messages the server drops.
func (in *Inbox) testDirect() error {
	return in.queue.conn.NATS().PublishMsg(&nats.Msg{
		Subject: in.queue.subj.Direct(subject.System, subject.System, Quick, "test"), Reply: in.declines + subject.System + "." + subject.System,
	})
}

// MaySendDirect reports whether [Inbox.SendDirect] can be used.
func (in *Inbox) MaySendDirect() bool { return in.direct.Load() }

// SendDirect publishes a call for one worker of its pool, which runs it immediately or declines
// it. Nothing is stored. [Inbox.Expect] with the same got must precede it. Refused, which
// has room for one, receives a [Refusal] if no worker runs the call; it receives nothing if
// the worker or the message is lost.
func (in *Inbox) SendDirect(e *call.Call, got chan<- []byte, refused chan<- error) error {
	data, err := e.Encode()
	if err != nil {
		return fmt.Errorf("encode call: %w", err)
	}
	key := inboxKey{e.Tenant, e.ID}
	s := in.shard(key)
	s.mu.Lock()
	for i, x := range s.waiting[key] {
		if x.got == got {
			s.waiting[key][i].refused = refused
		}
	}
	s.mu.Unlock()
	b := in.queue
	msg := &nats.Msg{Subject: b.subj.Direct(e.Tenant, e.Pool, e.Lane, e.Tool), Reply: in.declines + e.Tenant + "." + e.ID, Data: data}
	if e.Traceparent != "" {
		msg.Header = nats.Header{HeaderTraceparent: {e.Traceparent}}
	}
	return b.conn.NATS().PublishMsg(msg)
}

// declined receives the reply to a direct call: from a worker that does not run it, or from
// the server if no worker receives direct calls.
func (in *Inbox) declined(msg *nats.Msg) {
	tenant, callID, _ := strings.Cut(strings.TrimPrefix(msg.Subject, in.declines), ".")
	why := Busy
	switch {
	case msg.Header.Get("Status") != "":
		why = Unheard
	case string(msg.Data) == unfit:
		why = Unfit
	}
	if callID == subject.System && why == Unheard {
		in.direct.Store(true)
		return
	}
	key := inboxKey{tenant, callID}
	s := in.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.waiting[key] {
		if x := &s.waiting[key][i]; x.refused != nil {
			x.refused <- why // it has room for one, and gets no second one
			x.refused = nil
		}
	}
}
