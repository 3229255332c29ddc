package peer

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// Holders is the word in the reply subjects of requests that every worker may answer, so
// that a worker's credential can be restricted to those: JetStream's acknowledgements to
// other processes use other subjects.
const Holders = "held"

// holdWindow is the time in which the owner of a call has to answer. A queued call has
// none.
const holdWindow = 150 * time.Millisecond

// Find requests the owner of a call from every process; nil means that no process has the
// call, or that its owner hangs.
func (b *Owners) Find(ctx context.Context, tenant, callID string) *call.Owner {
	return b.askHolder(ctx, b.subj.Probe(tenant, callID), "", "")
}

// FindOther requests whether another worker runs a call, state [StateRunning], or a
// dispatcher knows of its result in a group, state [StateDone]; nil means that none
// answered so. A dispatcher that waits for the call does not count.
func (b *Owners) FindOther(ctx context.Context, tenant, callID string) *call.Owner {
	if h := b.askHolder(ctx, b.subj.Probe(tenant, callID), probeDone, b.conn.ID()); h != nil &&
		(h.State == protocol.StateRunning || h.State == protocol.StateDone) {
		return h
	}
	return nil
}

// probeDone is the body of a probe that also asks for results in groups.
const probeDone = "done"

// Cancel requests that the worker that runs a call stops it, and that every other worker
// does not start it; nil means that no worker runs it. Remote processes receive it too, for
// this call and its nested calls.
func (b *Owners) Cancel(ctx context.Context, tenant, callID string) *call.Owner {
	h := b.askHolder(ctx, b.subj.Cancel(tenant, callID), "", "")
	if h == nil {
		return nil
	}
	for _, id := range h.Inner {
		if n, ok := strings.CutPrefix(id, callID+"~"); ok && strings.Trim(n, "0123456789~") == "" {
			// No reply comes; a message without a reply subject would not count as one of a
			// dispatcher.
			_ = b.conn.NATS().PublishMsg(&nats.Msg{Subject: b.subj.Cancel(tenant, id), Reply: b.replies.Unheard()})
		}
	}
	return h
}

// askHolder waits for the best answer: a worker that runs the call is the final answer, and
// so is its result; a dispatcher that waits for it is not.
func (b *Owners) askHolder(ctx context.Context, subject, body, except string) *call.Owner {
	answers := make(chan *nats.Msg, 8)
	end := make(chan struct{})
	reply := b.replies.ExpectMany(time.Now().Add(holdWindow), func(msg *nats.Msg) {
		if msg == nil {
			close(end)
			return
		}
		select {
		case answers <- msg:
		default:
		}
	})
	if err := b.conn.NATS().PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: []byte(body)}); err != nil {
		b.replies.Drop(reply, func() {})
		return nil
	}
	defer b.replies.Drop(reply, func() {})
	var best *call.Owner
	for {
		select {
		case msg := <-answers:
			h := new(call.Owner)
			if json.Unmarshal(msg.Data, h) != nil || h.By == except {
				continue
			}
			if h.State == protocol.StateRunning || h.State == protocol.StateDone {
				return h
			}
			best = h
		case <-end:
			return best
		case <-ctx.Done():
			return best
		}
	}
}

// ServeProbe answers for the calls this process has; find returns nil for any other.
func (b *Owners) ServeProbe(find func(tenant, callID string) *call.Owner) error {
	return b.serveHolder(b.subj.Probe("*", "*"), find, nil)
}

// probesMost is the maximum number of concurrent searches for results. Further probes are
// not answered.
const probesMost = 16

// ServeProbeDone is ServeProbe of a process that can also search for results in groups:
// done may take long, and is called for a call that find does not know.
func (b *Owners) ServeProbeDone(find, done func(tenant, callID string) *call.Owner) error {
	return b.serveHolder(b.subj.Probe("*", "*"), find, done)
}

// ServeCancel receives requests to cancel; cancel stops the call and returns its owner, or
// nil if it is not here.
func (b *Owners) ServeCancel(cancel func(tenant, callID string) *call.Owner) error {
	return b.serveHolder(b.subj.Cancel("*", "*"), cancel, nil)
}

func (b *Owners) serveHolder(subject string, find, done func(tenant, callID string) *call.Owner) error {
	searching := make(chan struct{}, probesMost)
	_, err := b.conn.NATS().Subscribe(subject, func(msg *nats.Msg) {
		if !natsio.Asked(msg.Reply) && (msg.Reply != "" || !b.conn.Anonymous()) {
			return // JetStream was made to publish it
		}
		tenant, callID := b.subj.TenantAndLast(msg.Subject)
		if h := find(tenant, callID); h != nil {
			b.answerHolder(msg, h)
		}
		if done == nil || string(msg.Data) != probeDone {
			return
		}
		select {
		case searching <- struct{}{}:
			b.conn.Go(func() {
				defer func() { <-searching }()
				b.answerHolder(msg, done(tenant, callID))
			})
		default:
		}
	})
	return err
}

func (b *Owners) answerHolder(msg *nats.Msg, h *call.Owner) {
	if h == nil || msg.Reply == "" {
		return
	}
	if data, err := json.Marshal(h); err == nil {
		_ = b.conn.NATS().Publish(msg.Reply, data) // the requester waits for a bounded time
	}
}

// TellAwaits notifies the dispatcher that accepted a call that it is parked. The message is
// not stored: a dispatcher that misses it looks for the parked call.
func (b *Owners) TellAwaits(tenant, origin, callID, consentID string) error {
	return b.conn.NATS().Publish(b.subj.Awaits(tenant, origin, callID), []byte(consentID))
}
