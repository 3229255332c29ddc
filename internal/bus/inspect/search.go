package inspect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
)

const (
	// searchedMost bounds the queued calls among which [Inspector.Search] looks for one.
	searchedMost = 1000
	// searchSlack is the time by which the clock of the dispatcher that accepted a call may
	// be ahead of the server's, so that the call is found in a long queue.
	searchSlack = 100 * time.Millisecond
)

// Search returns a call that is queued or that a worker has from the queue; nil if it is
// not found. A lane is read from its front, where the calls are that workers have, and from
// the time at which the call was accepted, at most [searchedAtOnce] calls each. So it does
// not find a call that was moved within a long queue, or accepted with many others of its
// tool. It reads message by message and is for people who look at a call.
func (b *Inspector) Search(ctx context.Context, tenant, pool, tool, callID string, accepted time.Time) (*call.Call, error) {
	stream, state, err := b.queuedOf(ctx, tenant, tool)
	if err != nil {
		return nil, err
	}
	left := uint64(searchedMost)
	for subject, calls := range state.Subjects {
		token, ok := b.laneOf(subject, pool)
		if !ok || left == 0 {
			continue
		}
		e, err := b.waits(ctx, stream, subject, state.FirstSeq, callID, min(calls, left))
		left -= min(calls, left, searchedAtOnce)
		if e == nil && err == nil && calls > searchedAtOnce && !accepted.IsZero() {
			var from uint64
			if from, err = storedSince(ctx, stream, subject, state, accepted.Add(-searchSlack)); err == nil {
				e, err = b.waits(ctx, stream, subject, from, callID, left)
				left -= min(left, searchedAtOnce)
			}
		}
		if err != nil {
			return nil, err
		}
		if e != nil {
			e.Tenant = tenant
			e.Pool, e.Lane = b.cut(token)
			return e, nil
		}
	}
	return nil, nil
}

// storedSince returns a place from which on all messages of a subject were stored at a time
// or later, by bisection.
func storedSince(ctx context.Context, stream jetstream.Stream, subject string, state jetstream.StreamState, at time.Time) (uint64, error) {
	from, to := state.FirstSeq, state.LastSeq+1
	for from < to {
		mid := from + (to-from)/2
		msg, err := stream.GetMsg(ctx, mid, jetstream.WithGetMsgSubject(subject))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			to = mid
		case err != nil:
			return 0, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
		case msg.Time.Before(at):
			from = msg.Sequence + 1
		default:
			to = mid
		}
	}
	return from, nil
}
