package callbacks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// maxParts bounds the parts of a body: results up to 16 MiB are in it, and a text
// that is as long.
const maxParts = 256

// ErrNoBody means that the body of a callback is not stored any more.
var ErrNoBody = errors.New("the result that was to be sent is not stored any more")

// StoreBody stores the element that is to be sent, in parts that fit a message, and sets
// the fields of the callback that name them. Each process has parts of its own, so that two
// never write the same ones.
func (b *Store) StoreBody(ctx context.Context, k Key, c *Callback, element []byte) error {
	c.Body, c.Parts = b.conn.ID(), 0
	for part := range slices.Chunk(element, queue.InlineLimit) {
		if c.Parts == maxParts {
			return fmt.Errorf("an element of %d bytes is too large for a callback", len(element))
		}
		err := b.conn.PublishWait(ctx, &nats.Msg{Subject: b.subj.part(k, c.Body, strconv.Itoa(c.Parts)), Data: part})
		if err != nil {
			return err
		}
		c.Parts++
	}
	return nil
}

// Body returns the element that is to be sent.
func (b *Store) Body(ctx context.Context, k Key, c *Callback) (element []byte, err error) {
	if c.Parts == 0 || c.Parts > maxParts {
		return nil, ErrNoBody
	}
	for i := range c.Parts {
		msg, err := b.conn.Last(ctx, streams.Callbacks, b.subj.part(k, c.Body, strconv.Itoa(i)))
		if errors.Is(err, natsio.ErrNotStored) {
			return nil, ErrNoBody
		}
		if err != nil {
			return nil, err
		}
		element = append(element, msg.Data...)
	}
	return element, nil
}

// RemoveBody removes the element of a callback that has ended.
func (b *Store) RemoveBody(ctx context.Context, k Key) error {
	return natsio.Purge(ctx, b.conn, streams.Callbacks, b.subj.part(k, "*", "*"))
}
