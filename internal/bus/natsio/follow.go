package natsio

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// Follow calls each for all messages of a stream in order, and then for new ones, until
// ctx ends. It returns when each was called for all that were stored. It survives
// reconnects, and begins again at the first message of a stream that was deleted and made
// again.
func (c *Conn) Follow(ctx context.Context, name string, each func(jetstream.Msg, uint64)) error {
	remade := Remade(c, name)
	stop, err := c.follow(ctx, name, each)
	if err != nil {
		return err
	}
	go func() {
		for {
			select {
			case <-ctx.Done():
				stop()
				return
			case <-remade:
			}
			stop()
			for ctx.Err() == nil {
				remade = Remade(c, name)
				if stop, err = c.follow(ctx, name, each); err == nil {
					break
				}
				c.log.Warn("stream not followed; trying again", zap.String("stream", name), zap.Error(err))
				Pause(ctx, followAgain)
			}
		}
	}()
	return nil
}

// follow is Follow for one stream, until the returned function is called.
func (c *Conn) follow(ctx context.Context, name string, each func(jetstream.Msg, uint64)) (stop func(), err error) {
	stream, err := c.js.Stream(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%w: stream %s: %w", ErrUnavailable, name, err)
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return nil, fmt.Errorf("%w: follow %s: %w", ErrUnavailable, name, err)
	}
	caught := make(chan struct{})
	done := sync.OnceFunc(func() { close(caught) })
	run, err := consumer.Consume(func(m jetstream.Msg) {
		meta, err := m.Metadata()
		if err != nil {
			return // an ordered consumer's messages always have it
		}
		each(m, meta.Sequence.Stream)
		if meta.NumPending == 0 {
			done()
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%w: follow %s: %w", ErrUnavailable, name, err)
	}
	look := time.NewTicker(followLook)
	defer look.Stop()
	if info, err := consumer.Info(ctx); err == nil && info.NumPending == 0 && info.Delivered.Consumer == 0 {
		return run.Stop, nil // the stream is empty
	}
	for {
		select {
		case <-caught:
			return run.Stop, nil
		case <-ctx.Done():
			run.Stop()
			return nil, context.Cause(ctx)
		case <-look.C: // the last message may have been deleted on its way
			if info, err := consumer.Info(ctx); err == nil && info.NumPending == 0 {
				return run.Stop, nil
			}
		}
	}
}

// followLook is the pause between reads of the number of messages that are left.
const followLook = time.Second
