package bus

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Held is what the process that has a call says of it.
type Held struct {
	State  string `json:"state"`
	Origin string `json:"origin"`
	Tool   string `json:"tool"`
	By     string `json:"by"`
	// Inner are calls that this one made and that processes outside have.
	Inner []string `json:"inner,omitempty"`
}

// holdWindow is how long the holder of a call has to say so. Nobody answers
// for a call that lies in the queue.
const holdWindow = 150 * time.Millisecond

// Probe asks every process who holds a call; nil means that nobody does, or
// that its holder hangs.
func (b *Bus) Probe(ctx context.Context, tenant, callID string) *Held {
	return b.askHolder(ctx, b.subj.Probe(tenant, callID), "")
}

// ProbeOthers asks whether another worker runs a call; nil means that none
// says so. A dispatcher that waits for the call does not count.
func (b *Bus) ProbeOthers(ctx context.Context, tenant, callID string) *Held {
	if h := b.askHolder(ctx, b.subj.Probe(tenant, callID), b.id); h != nil && h.State == StateRunning {
		return h
	}
	return nil
}

// Cancel asks the worker that runs a call to stop it, and every other worker
// not to start it; nil means that nobody runs it. Processes outside hear it too, of
// this call and of those that it made.
func (b *Bus) Cancel(ctx context.Context, tenant, callID string) *Held {
	h := b.askHolder(ctx, b.subj.Cancel(tenant, callID), "")
	if h == nil {
		return nil
	}
	for _, id := range h.Inner {
		if n, ok := strings.CutPrefix(id, callID+"~"); ok && strings.Trim(n, "0123456789~") == "" {
			_ = b.nc.Publish(b.subj.Cancel(tenant, id), nil) // nobody answers
		}
	}
	return h
}

// askHolder waits for the best answer: a worker that runs the call settles the
// question, a dispatcher that waits for it does not.
func (b *Bus) askHolder(ctx context.Context, subject, except string) *Held {
	answers := make(chan *nats.Msg, 8)
	end := make(chan struct{})
	reply := b.acks.expectMany(time.Now().Add(holdWindow), func(msg *nats.Msg) {
		if msg == nil {
			close(end)
			return
		}
		select {
		case answers <- msg:
		default:
		}
	})
	if err := b.nc.PublishMsg(&nats.Msg{Subject: subject, Reply: reply}); err != nil {
		b.acks.drop(reply, func() {})
		return nil
	}
	defer b.acks.drop(reply, func() {})
	var best *Held
	for {
		select {
		case msg := <-answers:
			h := new(Held)
			if json.Unmarshal(msg.Data, h) != nil || h.By == except {
				continue
			}
			if h.State == StateRunning {
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

// ServeProbe answers for the calls this process has; find returns nil for any
// other.
func (b *Bus) ServeProbe(find func(tenant, callID string) *Held) error {
	return b.serveHolder(b.subj.Probe("*", "*"), find)
}

// ServeCancel hears requests to cancel; cancel stops the call and returns what
// it was, or nil if it is not here.
func (b *Bus) ServeCancel(cancel func(tenant, callID string) *Held) error {
	return b.serveHolder(b.subj.Cancel("*", "*"), cancel)
}

func (b *Bus) serveHolder(subject string, find func(tenant, callID string) *Held) error {
	_, err := b.nc.Subscribe(subject, func(msg *nats.Msg) {
		tenant, callID := b.subj.tenantAndLast(msg.Subject)
		h := find(tenant, callID)
		if h == nil || msg.Reply == "" {
			return
		}
		data, err := json.Marshal(h)
		if err != nil {
			return
		}
		if err := b.nc.Publish(msg.Reply, data); err != nil {
			return // whoever asked waits for a bounded time
		}
	})
	return err
}
