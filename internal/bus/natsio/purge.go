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

// PurgeTo removes the messages of a subject, which may have wildcards, up to a place.
func PurgeTo(ctx context.Context, c *Conn, stream, subject string, last uint64) error {
	s, err := c.JetStream().Stream(ctx, stream)
	if err == nil {
		err = s.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(last+1))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}
