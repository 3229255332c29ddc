package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// restoreTimeout bounds one attempt to set up again what the server lost.
const restoreTimeout = 5 * time.Second

// Restore makes the streams again that are missing and may be made again while processes run.
// All are made if the server lost all its data. It is idempotent, and any number of
// processes may do it concurrently.
func (b *Store) Restore(ctx context.Context) error {
	if !b.Conn.Connected() {
		return b.Conn.Away()
	}
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	missing, fresh, err := b.missing(ctx)
	if err != nil {
		return err
	}
	if len(missing) == 0 || b.opts.Waits {
		return nil
	}
	for _, s := range missing {
		if !b.keeper.rows[s.Name].remake && !fresh {
			continue
		}
		if err := (natsio.Topology{Conn: b.Conn}).Stream(ctx, s); err != nil {
			return err
		}
		b.log.Error("stream was missing, made again", zap.String("stream", s.Name), zap.String("held", b.keeper.rows[s.Name].holds))
		b.keeper.made(s.Name)
	}
	return b.plan(ctx, true)
}

// missing returns the streams that do not exist. Fresh reports that every stream that is
// not made again by itself is missing or was just made: the server has lost its data.
func (b *Store) missing(ctx context.Context) (missing []natsio.Stream, fresh bool, err error) {
	fresh = true
	for _, s := range b.topology() {
		stream, err := b.Conn.JetStream().Stream(ctx, s.Name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			missing = append(missing, s)
		case err != nil:
			return nil, false, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, s.Name, err)
		case !b.keeper.rows[s.Name].remake && stream.CachedInfo().TimeStamp.Sub(stream.CachedInfo().Created) > b.keeper.fresh:
			fresh = false
		}
	}
	return missing, fresh, nil
}

// made updates the state of a stream that this process made again. The next look notices
// its new age.
func (k *keeper) made(name string) {
	k.mu.Lock()
	st := k.of(name)
	if st.created.IsZero() {
		st.created = time.Unix(0, 1)
	}
	k.mu.Unlock()
	k.set(name, "", true)
}
