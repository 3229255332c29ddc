package queue

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

// StreamState is the state of a stream, compared with what this process would make.
type StreamState struct {
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
func (q *Queue) Inspect(ctx context.Context) ([]StreamState, error) {
	var all []StreamState
	for _, want := range q.streams() {
		state := StreamState{Name: want.Name}
		stream, err := q.conn.JetStream().Stream(ctx, want.Name)
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
		state.Differs = differs(q.adapted(want, info.Config), info.Config)
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

// MissingLanes returns the consumers that workers of a pool need and that do not exist.
func (b *Calls) MissingLanes(ctx context.Context, pools []string) ([]string, error) {
	stream, err := b.conn.JetStream().Stream(ctx, StreamCalls)
	if err != nil {
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, StreamCalls, err)
	}
	there := map[string]bool{}
	names := stream.ConsumerNames(ctx)
	for name := range names.Name() {
		there[name] = true
	}
	if err := names.Err(); err != nil {
		return nil, fmt.Errorf("%w: consumers of %s: %w", natsio.ErrUnavailable, StreamCalls, err)
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
func (q *Queue) Server(ctx context.Context) (Server, error) {
	s := Server{Version: q.conn.NATS().ConnectedServerVersion()}
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	sent := time.Now()
	reply, err := q.conn.Request(ctx, &nats.Msg{Subject: q.conn.API() + "STREAM.INFO." + StreamCalls})
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
	s.Refused = natsio.Forbidden(q.conn, time.Now())
	return s, nil
}

// Clocks returns how far the clock of each worker that answers is ahead of this process's,
// to about a round trip.
func (b *Owners) Clocks(ctx context.Context, workers int) map[string]time.Duration {
	skews := map[string]time.Duration{}
	b.running(ctx, "_", workers, func(a runningAnswer) {
		if !a.Now.IsZero() {
			skews[a.By] = time.Until(a.Now)
		}
	})
	return skews
}
