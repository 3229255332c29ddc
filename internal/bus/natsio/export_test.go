package natsio

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Ensure opens ensure to the tests of the package.
func (t Topology) Ensure(
	ctx context.Context, name string, wanted func(jetstream.StreamConfig) bool, write func(context.Context, jetstream.StreamConfig) error,
) error {
	return t.ensure(ctx, name, wanted, write)
}

// Leaderless returns the number of streams that count as without a leader.
func Leaderless(c *Conn) int { return int(c.leaderless.open.Load()) }

// LeaderlessStreams is leaderless for tests.
type LeaderlessStreams struct{ l leaderless }

// Repeat is [leaderless.repeat].
func (s *LeaderlessStreams) Repeat(kind string, now time.Time) bool { return s.l.repeat(kind, now) }

// Heard is [leaderless.heard].
func (s *LeaderlessStreams) Heard(kind string) { s.l.heard(func() string { return kind }) }
