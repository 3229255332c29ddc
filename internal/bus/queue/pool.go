package queue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// poolRetry is the pause between attempts to set up a pool.
const poolRetry = time.Second

// EnsurePool creates the consumers of a pool: one for each lane, not one for each tool,
// because ten thousand consumers cost the server 544 MiB.
// While the server does not answer, as during an election, it tries again until ctx ends.
func (b *Calls) EnsurePool(ctx context.Context, pool string) error {
	for {
		err := b.ensurePool(ctx, pool)
		if err == nil || ctx.Err() != nil || !transient(err) {
			return err
		}
		b.log.Warn("pool not set up; trying again", zap.String("pool", pool), zap.Duration("in", poolRetry), zap.Error(err))
		natsio.Pause(ctx, poolRetry)
	}
}

// transient reports whether a request failed because no server answered it.
func transient(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code == http.StatusServiceUnavailable
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrNoResponders)
}

func (b *core) ensurePool(ctx context.Context, pool string) error {
	names := lanes()
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, lane := range names {
		all.Go(func() { errs[i] = b.ensureLane(ctx, laneToken(pool, lane)) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("consumers of pool %s: %w", pool, err)
	}
	return nil
}

func (b *core) ensureLane(ctx context.Context, token string) error {
	if b.conn.Apart() {
		return b.askLane(ctx, token)
	}
	_, err := natsio.Topology{Conn: b.conn}.EnsureConsumer(ctx, streams.Calls, b.laneConsumer(token))
	return err
}

// laneConsumer returns the settings of the consumer of a lane.
func (b *core) laneConsumer(token string) jetstream.ConsumerConfig {
	var idle time.Duration
	if _, lane := CutLane(token); IsHome(lane) {
		idle = homeIdle
	}
	return jetstream.ConsumerConfig{
		Durable:       token,
		FilterSubject: b.subj.Of("*", "call", token, ">"),
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       b.opts.AckWait,
		// The worker judges the number of attempts and ends the call with a result; the
		// server would drop it without one.
		MaxDeliver: -1,
		// The server removes the consumers of a worker that is no longer connected.
		InactiveThreshold: idle,
		// Each worker requests no more calls than it has slots, plus one of each lane.
		MaxAckPending: -1,
		MaxWaiting:    4096,
		Replicas:      b.opts.Replicas,
	}
}

// MissingLanes returns the consumers that workers of a pool need and that do not exist.
func (b *Calls) MissingLanes(ctx context.Context, pools []string) ([]string, error) {
	stream, err := b.conn.JetStream().Stream(ctx, streams.Calls)
	if err != nil {
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Calls, err)
	}
	there := map[string]bool{}
	names := stream.ConsumerNames(ctx)
	for name := range names.Name() {
		there[name] = true
	}
	if err := names.Err(); err != nil {
		return nil, fmt.Errorf("%w: consumers of %s: %w", natsio.ErrUnavailable, streams.Calls, err)
	}
	var missing []string
	for _, pool := range pools {
		for _, lane := range lanes() {
			if token := laneToken(pool, lane); !there[token] {
				missing = append(missing, token)
			}
		}
	}
	return missing, nil
}
