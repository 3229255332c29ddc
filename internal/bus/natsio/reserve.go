package natsio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// errStorage is JetStream's code where a stream's bound is more than the storage that
// is left, errNoPeers that of a cluster, with the reason as text; nats-server/server/errors.json.
const (
	errStorage = 10047
	errNoPeers = 10005
)

// NoStorage reports whether JetStream refused to make or change a stream because a server, or
// the account, has less storage than its bound. In a cluster that may be untrue for up to ten
// seconds: servers learn late what the others have, and have set aside.
func NoStorage(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == errStorage || api.ErrorCode == errNoPeers && strings.Contains(api.Description, "insufficient storage"))
}

// reserve makes or changes a stream. JetStream sets aside the bytes that bound it. If an
// existing stream cannot get the wanted bound it keeps its own, with its other settings
// changed. A server whose device has filled since it set the bytes aside changes
// nothing at all: the stream stays as it is, as nothing that it holds may be out of reach.
func (t Topology) reserve(ctx context.Context, cfg, is jetstream.StreamConfig) error {
	_, err := t.Conn.js.CreateOrUpdateStream(ctx, merged(cfg, is))
	if is.Name != "" && NoStorage(err) && cfg.MaxBytes != is.MaxBytes {
		cfg.MaxBytes = is.MaxBytes
		_, err = t.Conn.js.CreateOrUpdateStream(ctx, merged(cfg, is))
	}
	if is.Name != "" && NoStorage(err) {
		t.Conn.log.Warn("stream differs from the settings of this process; nats has no storage to change it", zap.String("stream", cfg.Name))
		return nil
	}
	return err
}

// chosenKey is the entry of a stream's metadata that is set if a setting asked for its bytes.
const chosenKey = "helve.chosen"

// Chosen reports whether the bytes of a stream are those that a setting of some process asked
// for.
func Chosen(is jetstream.StreamConfig) bool { return is.Metadata[chosenKey] != "" }

// Newer reports whether a process of a later generation wrote a stream, which leaves it to
// such processes.
func Newer(is jetstream.StreamConfig) bool {
	generation, _ := stamp(is)
	return generation > Generation
}

// Resize changes the bytes of a stream as it is, and nothing else. With chosen, a setting
// asked for them.
// The error is one of [NoStorage] if a server or the account has no room for them. Unlike the
// placement of a new stream this compares with what is set aside at this moment, by the server
// that leads the cluster and by the server that leads the stream. The other servers that have
// a copy compare too, but NATS tells nobody if one of those refuses: see [Topology.Lead].
func (t Topology) Resize(ctx context.Context, is jetstream.StreamConfig, bytes int64, chosen bool) error {
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	written := is.Metadata[stampKey]
	_, intact := stamp(is)
	is.MaxBytes = bytes
	cfg := merged(is, is)
	if !intact { // something else altered it, and Mend is to see that
		cfg.Metadata[stampKey] = written
	}
	delete(cfg.Metadata, chosenKey)
	if chosen {
		cfg.Metadata[chosenKey] = "1"
	}
	if _, err := t.Conn.js.UpdateStream(ctx, cfg); err != nil {
		return fmt.Errorf("stream %s: %w", cfg.Name, err)
	}
	return nil
}

// leadLook is the time between two looks of [Topology.Lead].
const leadLook = 50 * time.Millisecond

// Lead makes a server, given by its name, lead a stream of which it has a copy.
func (t Topology) Lead(ctx context.Context, stream, server string) error {
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	ask, err := json.Marshal(map[string]any{"placement": map[string]string{"preferred": server}})
	if err != nil {
		return err
	}
	for {
		s, err := t.Conn.js.Stream(ctx, stream)
		if err == nil {
			if cluster := s.CachedInfo().Cluster; cluster != nil && cluster.Leader == server {
				return nil
			}
			// An answer says only that the leader has given up; who leads is read again.
			_, _ = t.Conn.nc.RequestWithContext(ctx, t.Conn.API()+"STREAM.LEADER.STEPDOWN."+stream, ask)
		}
		if Pause(ctx, leadLook); ctx.Err() != nil {
			return fmt.Errorf("%w: server %s does not lead stream %s", ErrUnavailable, server, stream)
		}
	}
}

// HasAll reports whether a copy has all that its leader has. A new leader calls each copy current,
// even before the server of that copy has made it and answered for the first time.
func HasAll(p *jetstream.PeerInfo) bool { return p.Current && !p.Offline && p.Active > 0 }
