package inspect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// Pool counts the calls in the queue of a pool, in all its lanes.
type Pool struct {
	// Backlog is the number of calls that wait, Held the number that workers have.
	Backlog, Held int64
	// Oldest is when the oldest waiting call was queued; zero if none waits.
	Oldest time.Time
}

// Pools returns the state of the queue of each pool that has one.
func (b *Inspector) Pools(ctx context.Context) (map[string]Pool, error) {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	stream, err := b.conn.JetStream().Stream(ctx, streams.Calls)
	if err != nil {
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Calls, err)
	}
	pools := map[string]Pool{}
	list := stream.ListConsumers(ctx)
	var waiting []*jetstream.ConsumerInfo
	for info := range list.Info() {
		pool, _ := b.cut(info.Name)
		p := pools[pool]
		p.Backlog += int64(info.NumPending)
		p.Held += int64(info.NumAckPending)
		pools[pool] = p
		if info.NumPending > 0 {
			waiting = append(waiting, info)
		}
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("%w: consumers of %s: %w", natsio.ErrUnavailable, streams.Calls, err)
	}
	for _, info := range waiting {
		pool, _ := b.cut(info.Name)
		at, err := b.oldest(ctx, stream, info)
		if err != nil {
			return nil, err
		}
		if p := pools[pool]; !at.IsZero() && (p.Oldest.IsZero() || at.Before(p.Oldest)) {
			p.Oldest = at
			pools[pool] = p
		}
	}
	return pools, nil
}

// oldest returns when the oldest call was queued that waits in a lane; zero if none waits
// any longer.
func (b *Inspector) oldest(ctx context.Context, stream jetstream.Stream, lane *jetstream.ConsumerInfo) (time.Time, error) {
	msg, err := stream.GetMsg(ctx, lane.Delivered.Stream+1, jetstream.WithGetMsgSubject(lane.Config.FilterSubject))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Calls, err)
	}
	return msg.Time, nil
}
