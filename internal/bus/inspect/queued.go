package inspect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

const (
	// queuedMost bounds the queued calls that are read for one list: each costs a request.
	queuedMost = 5000
	// queuedStep is the number of places of the stream that are read together, from its end.
	queuedStep = 512
)

// Queued returns calls of a tenant that the queue holds, those that wait and those that workers
// have: the calls that were accepted last and fit are among them, so many if the queue has as many
// among the last [queuedMost] calls of the tenant. A call is queued after it was accepted, and a
// call that was queued again is nearer to the end, so the stream is read from its end until all
// that is left was queued before the last call that counts was accepted. Slack is the time by
// which the clocks of dispatchers and of the server may differ. Unreadable messages are left out.
func (b *Inspector) Queued(
	ctx context.Context, tenant string, fits func(*call.Call) bool, most int, slack time.Duration,
) ([]*call.Call, error) {
	stream, err := b.conn.JetStream().Stream(ctx, streams.Calls)
	if err != nil {
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Calls, err)
	}
	state := stream.CachedInfo().State
	r := tail{inspector: b, stream: stream, tenant: tenant, left: queuedMost, fits: fits}
	for to, step := state.LastSeq+1, uint64(queuedStep); to > state.FirstSeq && r.left > 0; {
		from := max(state.FirstSeq, to-min(to, step))
		had := r.left
		first, err := r.read(ctx, from, to)
		if err != nil {
			return nil, err
		}
		if r.accepted(first.Add(slack)) >= most && !first.IsZero() {
			break
		}
		if step = queuedStep; r.left == had { // nothing was there: the stream is sparse
			step = 2 * (to - from)
		}
		to = from
	}
	return r.found, nil
}

// tail reads the end of the queue of a tenant.
type tail struct {
	inspector *Inspector
	stream    jetstream.Stream
	tenant    string
	left      int // the messages that may still be read
	fits      func(*call.Call) bool
	found     []*call.Call
}

// read adds the calls from a place on and before another, and returns when the first of them was
// queued; zero if there is none.
func (r *tail) read(ctx context.Context, from, to uint64) (first time.Time, err error) {
	b := r.inspector
	for seq := from; seq < to && r.left > 0; {
		msg, err := r.stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(b.tree.Of(r.tenant, "call", ">")))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return first, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Calls, err)
		}
		if msg.Sequence >= to {
			break
		}
		if seq, r.left = msg.Sequence+1, r.left-1; first.IsZero() {
			first = msg.Time
		}
		_, tokens, ok := b.tree.Split(msg.Subject, 3)
		e, err := call.Decode(msg.Data)
		if err != nil || !ok || len(tokens) < 3 {
			continue // a worker sets it aside
		}
		e.Tenant, e.Arguments = r.tenant, nil
		if e.Pool, e.Lane = b.cut(tokens[1]); r.fits(e) {
			r.found = append(r.found, e)
		}
	}
	return first, nil
}

// accepted counts the calls that were accepted at a time or later.
func (r *tail) accepted(at time.Time) (n int) {
	for _, e := range r.found {
		if !e.Accepted().Before(at) {
			n++
		}
	}
	return n
}
