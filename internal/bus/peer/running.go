package peer

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// Running is a call that a worker has.
type Running struct {
	CallID       string    `json:"call_id"`
	TraceID      string    `json:"trace_id,omitempty"`
	Tool         string    `json:"tool"`
	Pool         string    `json:"pool"`
	User         string    `json:"user,omitempty"`
	Agent        string    `json:"agent,omitempty"`
	Conversation string    `json:"conversation,omitempty"`
	Attempt      int       `json:"attempt"`
	AcceptedMS   int64     `json:"accepted_ms"`
	Since        time.Time `json:"since"`
	Worker       string    `json:"-"`
}

// runningAnswer is the answer of one worker.
type runningAnswer struct {
	By string `json:"by"`
	// Now is the time by the clock of the worker.
	Now   time.Time `json:"now"`
	Calls []Running `json:"calls"`
}

// runningProbe is the last token of the subject on which every worker is asked for its
// calls, in the place of a call's ID.
const runningProbe = "list"

// ServeRunning answers with the calls of a tenant that this process has.
func (b *Owners) ServeRunning(list func(tenant string) []Running) error {
	return b.answer("*", runningProbe, func(tenant string) any { return runningAnswer{b.conn.ID(), time.Now(), list(tenant)} })
}

// answer answers a probe, which has its own last token as its body.
func (b *Owners) answer(tenants, probe string, with func(tenant string) any) error {
	_, err := b.conn.NATS().Subscribe(b.subj.Probe(tenants, probe), func(msg *nats.Msg) {
		if !natsio.Asked(msg.Reply) || string(msg.Data) != probe {
			return // JetStream was made to publish it, or it is about a call of that name
		}
		tenant, _ := b.subj.TenantAndLast(msg.Subject)
		data, err := json.Marshal(with(tenant))
		if err == nil {
			_ = b.conn.NATS().Publish(msg.Reply, data) // the requester waits for a bounded time
		}
	})
	return err
}

// Running requests from every worker the calls of a tenant that it has. It returns when
// that many workers have answered, or after a short time.
func (b *Owners) Running(ctx context.Context, tenant string, workers int) (all []Running) {
	b.running(ctx, tenant, workers, func(a runningAnswer) {
		for _, r := range a.Calls {
			r.Worker = a.By
			all = append(all, r)
		}
	})
	return all
}

// running asks every worker for its calls of a tenant, until that many workers have
// answered or a short time is over.
func (b *Owners) running(ctx context.Context, tenant string, workers int, each func(runningAnswer)) {
	b.poll(ctx, tenant, runningProbe, holdWindow, workers, func(data []byte) bool {
		var a runningAnswer
		if json.Unmarshal(data, &a) != nil || a.By == "" {
			return false
		}
		each(a)
		return true
	})
}

// poll asks every worker with a probe, whose body is its last token, until that many
// workers have answered or the time is over. Each reports whether data is an answer.
func (b *Owners) poll(ctx context.Context, tenant, probe string, within time.Duration, workers int, each func(data []byte) bool) {
	answers, end := make(chan *nats.Msg, workers+8), make(chan struct{})
	reply := b.replies.ExpectMany(time.Now().Add(within), func(msg *nats.Msg) {
		if msg == nil {
			close(end)
			return
		}
		select {
		case answers <- msg:
		default:
		}
	})
	defer b.replies.Drop(reply, func() {})
	if err := b.conn.NATS().PublishMsg(&nats.Msg{Subject: b.subj.Probe(tenant, probe), Reply: reply, Data: []byte(probe)}); err != nil {
		return
	}
	for answered := 0; answered < workers; {
		select {
		case msg := <-answers:
			if each(msg.Data) {
				answered++
			}
		case <-end:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Clocks returns how far the clock of each worker that answers is ahead of this process's,
// to about a round trip.
func (b *Owners) Clocks(ctx context.Context, workers int) map[string]time.Duration {
	skews := map[string]time.Duration{}
	b.running(ctx, "_", workers, func(a runningAnswer) {
		if !a.Now.IsZero() {
			skews[a.By] = time.Until(a.Now)
		}
	})
	return skews
}
