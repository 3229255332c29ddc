package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// State is the state of a stream, compared with what this process would make.
type State struct {
	Name string
	// Missing is set if the stream does not exist.
	Missing bool
	// Differs lists the settings that are not as they should be.
	Differs  []string
	Replicas int
	// Away lists the replicas that are offline or behind; Leaderless is set if a
	// replicated stream has no leader.
	Away       []string
	Leaderless bool
	Messages   uint64
}

// Inspect compares each stream of Helve, those of buckets excluded, with its settings.
func (b *Store) Inspect(ctx context.Context) ([]State, error) {
	var all []State
	for _, want := range b.configs() {
		state := State{Name: want.Name}
		stream, err := b.Conn.JetStream().Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			state.Missing = true
			all = append(all, state)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, want.Name, err)
		}
		info := stream.CachedInfo()
		state.Replicas, state.Messages = info.Config.Replicas, info.State.Msgs
		state.Differs = differs(b.adapted(want, info.Config), info.Config)
		if info.Cluster != nil && info.Config.Replicas > 1 {
			state.Leaderless = info.Cluster.Leader == ""
			for _, r := range info.Cluster.Replicas {
				if r.Offline || !r.Current {
					state.Away = append(state.Away, r.Name)
				}
			}
		}
		all = append(all, state)
	}
	return all, nil
}

func differs(want, is jetstream.StreamConfig) (settings []string) {
	for _, s := range []struct {
		name string
		same bool
	}{
		{"subjects", slices.Equal(want.Subjects, is.Subjects)},
		{"retention", want.Retention == is.Retention},
		{"storage", want.Storage == is.Storage},
		{"replicas", want.Replicas == is.Replicas},
		{"max_age", want.MaxAge == is.MaxAge},
		{"discard", want.Discard == is.Discard && want.DiscardNewPerSubject == is.DiscardNewPerSubject},
		{"max_msgs_per_subject", max(want.MaxMsgsPerSubject, 0) == max(is.MaxMsgsPerSubject, 0)},
		{"republish", (want.RePublish == nil) == (is.RePublish == nil)},
		{"deny_delete", want.DenyDelete == is.DenyDelete},
	} {
		if !s.same {
			settings = append(settings, s.name)
		}
	}
	return settings
}

// Server describes the NATS server of the connection.
type Server struct {
	Version string
	// RoundTrip is the time of one request, Skew how far the server's clock is ahead of
	// this process's, to about half a round trip.
	RoundTrip, Skew time.Duration
	// Refused is the last request that the permissions of the credential did not allow, if it
	// was made lately.
	Refused error
}

// Server measures the NATS server of the connection.
func (b *Store) Server(ctx context.Context) (Server, error) {
	s := Server{Version: b.Conn.NATS().ConnectedServerVersion()}
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	sent := time.Now()
	reply, err := b.Conn.Request(ctx, &nats.Msg{Subject: b.Conn.API() + "STREAM.INFO." + Calls})
	if err != nil {
		return s, err
	}
	s.RoundTrip = time.Since(sent)
	var info struct {
		TS time.Time `json:"ts"`
	}
	if err := json.Unmarshal(reply.Data, &info); err == nil && !info.TS.IsZero() {
		s.Skew = info.TS.Sub(sent.Add(s.RoundTrip / 2))
	}
	s.Refused = natsio.Forbidden(b.Conn, time.Now())
	return s, nil
}
