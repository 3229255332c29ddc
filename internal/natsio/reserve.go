package natsio

import (
	"context"
	"errors"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// LeastReserve is the smallest bound that a stream is shrunk to.
const LeastReserve = 1 << 20

// errStorage is JetStream's code where a stream's bound is more than the storage that
// is left, errNoPeers that of a cluster, with the reason as text; nats-server/server/errors.json.
const (
	errStorage = 10047
	errNoPeers = 10005
)

func noStorage(err *jetstream.APIError) bool {
	return err.ErrorCode == errStorage || err.ErrorCode == errNoPeers && strings.Contains(err.Description, "insufficient storage")
}

// reserve makes or changes a stream. JetStream sets aside the bytes that bound it. Without
// enough storage for a new stream, streams that have more and do not use it yield some, and
// the new one gets a smaller bound; an existing stream keeps its bound.
// A server whose device has filled since it set the bytes aside changes nothing at all: the
// stream stays as it is, as nothing that it holds may be out of reach.
func (t Topology) reserve(ctx context.Context, cfg, is jetstream.StreamConfig, modest bool) error {
	wanted := cfg.MaxBytes
	for {
		_, err := t.Conn.js.CreateOrUpdateStream(ctx, merged(cfg, is))
		switch failed, ok := errors.AsType[*jetstream.APIError](err); {
		case err == nil:
			if cfg.MaxBytes != wanted {
				level := zap.WarnLevel
				if modest {
					level = zap.InfoLevel
				}
				t.Conn.log.Log(level, "stream bounded to the storage there is", zap.String("stream", cfg.Name),
					zap.Int64("wanted_bytes", wanted), zap.Int64("max_bytes", cfg.MaxBytes))
			}
			return nil
		case !ok || !noStorage(failed):
			return err
		case is.Name != "":
			if cfg.MaxBytes == is.MaxBytes {
				t.Conn.log.Warn("stream differs from the settings of this process; nats has no storage to change it", zap.String("stream", cfg.Name))
				return nil
			}
			cfg.MaxBytes = is.MaxBytes
		case t.yield(ctx, cfg.MaxBytes):
		case cfg.MaxBytes <= LeastReserve:
			return err
		default:
			cfg.MaxBytes = max(cfg.MaxBytes/2, LeastReserve)
		}
	}
}

// usedPart is the fraction of a bound up to which it may be halved.
const usedPart = 4

// yield halves the widest bound above bytes of the streams in Yielding, and reports whether
// there was one. A stream that holds much of what its bound permits keeps it.
func (t Topology) yield(ctx context.Context, bytes int64) bool {
	var widest jetstream.StreamConfig
	for _, name := range t.Yielding {
		s, err := t.Conn.js.Stream(ctx, name)
		if err != nil {
			continue // it is not made yet
		}
		is := s.CachedInfo()
		if is.Config.MaxBytes > max(bytes, widest.MaxBytes) && is.State.Bytes < uint64(is.Config.MaxBytes/usedPart) {
			widest = is.Config
		}
	}
	if widest.MaxBytes/2 < LeastReserve {
		return false
	}
	less := widest
	less.MaxBytes /= 2
	if _, err := t.Conn.js.UpdateStream(ctx, merged(less, widest)); err != nil {
		t.Conn.log.Warn("stream keeps its bound; nats did not change it", zap.String("stream", widest.Name), zap.Error(err))
		return false
	}
	t.Conn.log.Info("stream yields storage to another", zap.String("stream", widest.Name), zap.Int64("max_bytes", less.MaxBytes))
	return true
}
