package inspect

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

// Queued returns the oldest calls of a tenant that the queue holds, at most so many: those
// that wait, and those that workers have. Unreadable messages are left out.
func (b *Inspector) Queued(ctx context.Context, tenant string, most int) ([]*call.Call, error) {
	stream, err := b.conn.JetStream().Stream(ctx, streams.Calls)
	if err != nil {
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Calls, err)
	}
	var all []*call.Call
	seq := uint64(1)
	for range most {
		msg, err := stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(b.tree.Of(tenant, "call", ">")))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Calls, err)
		}
		seq = msg.Sequence + 1
		_, tokens, ok := b.tree.Split(msg.Subject, 3)
		e, err := call.Decode(msg.Data)
		if err != nil || !ok || len(tokens) < 3 {
			continue // a worker sets it aside
		}
		e.Tenant, e.Arguments = tenant, nil
		e.Pool, e.Lane = b.cut(tokens[1])
		all = append(all, e)
	}
	return all, nil
}
