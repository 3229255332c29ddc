package streams

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

const (
	// prepareRetry is the pause between attempts to set up JetStream, and prepareSay the time
	// after which the reason is logged again.
	prepareRetry = time.Second
	prepareSay   = time.Minute
)

// Prepare creates or updates streams, buckets and object stores. It is idempotent and any
// number of processes may do it concurrently. While NATS cannot be reached, or has not the
// storage that the streams need, it tries again until ctx ends, with a log line for each
// reason.
func (b *Store) Prepare(ctx context.Context) error {
	var said time.Time
	var last string
	for {
		err := b.prepare(ctx)
		if err == nil {
			return nil
		}
		b.unprepared.Store(&err)
		if text := err.Error(); text != last || time.Since(said) > prepareSay {
			last, said = text, time.Now()
			fields := []zap.Field{zap.Duration("in", prepareRetry), zap.Error(err)}
			if !b.Conn.Connected() {
				fields = append(fields, zap.String("advice", "start NATS there, or name its address with --nats (nats.url)"))
			}
			b.log.Warn("nats is not ready; trying again", fields...)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
		case <-time.After(prepareRetry):
		}
	}
}

// prepareTimeout bounds one attempt.
const prepareTimeout = 30 * time.Second

func (b *Store) prepare(ctx context.Context) error {
	if !b.Conn.Connected() {
		return b.Conn.Away()
	}
	if err := natsio.OldServer(b.Conn); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	topology := natsio.Topology{Conn: b.Conn}
	if err := b.divide(ctx, topology); err != nil {
		return err
	}
	for _, s := range b.topology() {
		var err error
		if b.opts.Waits {
			err = topology.There(ctx, s)
		} else {
			err = topology.Stream(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	calls, err := topology.Objects(ctx, ObjectsCalls)
	if err != nil {
		return err
	}
	results, err := topology.Objects(ctx, ObjectsResults)
	if err != nil {
		return err
	}
	if !b.prepared.Load() { // not repeated once they are in use
		b.callData, b.resultData = calls, results
		b.prepared.Store(true)
		b.watchRoom()
	}
	return nil
}
