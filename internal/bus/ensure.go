package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// forbiddenAfter is how long a request to make or change a stream may go
// unanswered while NATS has said that it is not permitted: such a request gets
// no answer, only the connection hears of it.
const forbiddenAfter = 2 * time.Second

// ensure makes what lies in the stream called name, if it is missing or is not
// as wanted says; write is told how it is. A process whose credentials may not change streams, as a
// worker's, uses those that a dispatcher made, as they are.
func (b *Bus) ensure(ctx context.Context, name string, wanted func(jetstream.StreamConfig) bool, write func(context.Context, jetstream.StreamConfig) error) error {
	var is jetstream.StreamConfig
	stream, err := b.js.Stream(ctx, name)
	if err == nil {
		if is = stream.CachedInfo().Config; wanted(is) {
			return nil
		}
	}
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	there := err == nil
	if !there || !b.forbidden() { // who may not change one stream may not change another
		bounded, cancel := context.WithTimeout(ctx, forbiddenAfter)
		defer cancel()
		if err = write(bounded, is); err == nil {
			return nil
		}
		if !errors.Is(err, context.DeadlineExceeded) || !b.forbidden() {
			return fmt.Errorf("stream %s: %w", name, err)
		}
	}
	if !there {
		return fmt.Errorf("stream %s is missing and the credentials of %s may not make it; start a dispatcher", name, b.opts.Name)
	}
	b.log.Warn("a stream is not as this process's settings ask, and its credentials may not change it; it stays as it is", zap.String("stream", name))
	return nil
}

// forbidden reports whether what NATS refused last was a request to JetStream.
func (b *Bus) forbidden() bool {
	err := b.nc.LastError()
	return errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"$JS.API.`)
}

// outlives are the streams that calls rest on which may be parked: a process
// that is told of shorter times must not take from under them what they need.
var outlives = map[string]bool{
	StreamOnce: true, StreamParked: true, StreamConsent: true, StreamDecisions: true, StreamTimers: true,
}

// fits reports whether a stream has what cfg sets. The server fills in what cfg
// leaves out.
func fits(cfg jetstream.StreamConfig) func(jetstream.StreamConfig) bool {
	return func(is jetstream.StreamConfig) bool {
		return slices.Equal(is.Subjects, cfg.Subjects) && is.Retention == cfg.Retention && is.Storage == cfg.Storage &&
			is.Replicas == cfg.Replicas && (is.MaxAge == cfg.MaxAge || outlives[cfg.Name] && is.MaxAge > cfg.MaxAge) && is.MaxBytes == maxBytes(cfg.MaxBytes) &&
			is.MaxMsgsPerSubject == cmp.Or(cfg.MaxMsgsPerSubject, -1) &&
			is.Discard == cfg.Discard && is.DiscardNewPerSubject == cfg.DiscardNewPerSubject && is.AllowDirect == cfg.AllowDirect &&
			is.DenyDelete == cfg.DenyDelete && is.DenyPurge == cfg.DenyPurge && is.AllowMsgSchedules == cfg.AllowMsgSchedules &&
			(is.Duplicates == cfg.Duplicates || cfg.Duplicates == 0)
	}
}

// kept reports whether a bucket or an object store is kept so long, or longer,
// and so often. 0 is for ever.
func kept(replicas int, ttl time.Duration) func(jetstream.StreamConfig) bool {
	return func(is jetstream.StreamConfig) bool {
		return is.Replicas == replicas && (is.MaxAge == ttl || ttl > 0 && is.MaxAge > ttl)
	}
}
