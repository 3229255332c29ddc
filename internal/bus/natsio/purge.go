package natsio

import (
	"context"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// Purge removes the messages of subjects, which may have wildcards, from a stream.
func Purge(ctx context.Context, c *Conn, stream string, subjects ...string) error {
	s, err := c.JetStream().Stream(ctx, stream)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	for _, subject := range slices.Compact(subjects) {
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return nil
}
