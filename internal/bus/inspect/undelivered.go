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

// searchedAtOnce bounds the waiting calls among which [Inspector.Undelivered] looks for one.
const searchedAtOnce = 200

// Undelivered reports whether it is known that no worker has taken a call: it waits in a
// lane behind all that was delivered, or it is in no lane and workers hold no call of its
// lanes. A call that was moved or queued twice, or has more waiting calls in front of it
// than are looked at, is reported as delivered. It reads the state of the queue and is for
// the end of a call only.
func (b *Inspector) Undelivered(ctx context.Context, tenant, pool, tool, callID string) (bool, error) {
	stream, state, err := b.queuedOf(ctx, tenant, tool)
	if err != nil {
		return false, err
	}
	held := false
	for subject, calls := range state.Subjects {
		token, ok := b.laneOf(subject, pool)
		if !ok {
			continue
		}
		delivered, unacked, err := consumed(ctx, stream, token)
		if err != nil {
			return false, err
		}
		held = held || unacked
		e, err := b.waits(ctx, stream, subject, delivered+1, callID, calls)
		if err != nil {
			return false, err
		}
		if e != nil {
			return e.Attempts == 0 && e.Moves == 0 && !e.Copy, nil
		}
	}
	return !held, nil
}

// queuedOf returns the stream of queued calls, and its state with the number of calls of a
// tool by subject.
func (b *Inspector) queuedOf(ctx context.Context, tenant, tool string) (jetstream.Stream, jetstream.StreamState, error) {
	stream, err := b.conn.JetStream().Stream(ctx, streams.Calls)
	if err != nil {
		return nil, jetstream.StreamState{}, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(b.tree.Of(tenant, "call", "*", tool)))
	if err != nil {
		return nil, jetstream.StreamState{}, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	return stream, info.State, nil
}

// laneOf returns the lane of the subject of a queued call as a token, and reports whether it
// is a lane of the pool.
func (b *Inspector) laneOf(subject, pool string) (token string, ok bool) {
	_, tokens, ok := b.tree.Split(subject, 3)
	if !ok || len(tokens) < 3 {
		return "", false
	}
	of, _ := b.cut(tokens[1])
	return tokens[1], of == pool
}

// consumed returns the last message that a lane's consumer has delivered, and whether any
// is not acknowledged. A lane without a consumer has delivered none.
func consumed(ctx context.Context, stream jetstream.Stream, lane string) (last uint64, unacked bool, err error) {
	c, err := stream.Consumer(ctx, lane)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	info := c.CachedInfo()
	return info.Delivered.Stream, info.NumAckPending > 0, nil
}

// waits returns a call among the messages of a subject from seq on; nil if it is not
// among the first of them.
func (b *Inspector) waits(
	ctx context.Context, stream jetstream.Stream, subject string, seq uint64, callID string, most uint64,
) (*call.Call, error) {
	for range min(most, searchedAtOnce) {
		msg, err := stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
		}
		if e, err := call.Decode(msg.Data); err == nil && e.ID == callID {
			return e, nil
		}
		seq = msg.Sequence + 1
	}
	return nil, nil
}
