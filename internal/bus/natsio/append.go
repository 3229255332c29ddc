package natsio

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// Append stores msg if last is the place of the last message of its subject, 0 for none, and
// returns its own. [ErrExists] means that there is a later one, perhaps msg itself, whose
// acknowledgement was lost.
func Append(ctx context.Context, c *Conn, msg *nats.Msg, last uint64) (place uint64, err error) {
	if err := failpoint.Hit(failpoint.QueuePublish); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	ack, err := c.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(last))
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return 0, Refusal(api)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return ack.Sequence, nil
}
