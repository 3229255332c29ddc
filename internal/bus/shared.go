package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// Work that any one of several processes must do: each message of a shared
// durable consumer goes to one of them, and to another if that one dies.
const (
	sharedAckWait = 3 * time.Second
	sharedAtOnce  = 256
	sharedRetry   = time.Second
	// sharedAsks is how long the server is asked for work at a time, and
	// sharedHeartbeat how often it must say that there is none: without two of
	// them it is looked whether the consumer is still there.
	sharedAsks      = 10 * time.Second
	sharedHeartbeat = 2 * time.Second
	// sharedBeat keeps what is still being worked on.
	sharedBeat = sharedAckWait / 3
)

// Shared is one piece of such work. ID is the last token of its subject.
type Shared struct {
	Tenant, ID string
	Data       []byte
	// Again says that somebody may have begun it before.
	Again bool
}

// ServeVerdicts calls handle for each verdict of a consent, in one process,
// until ctx ends. A handle that fails is called again, here or elsewhere.
func (b *Bus) ServeVerdicts(ctx context.Context, handle func(context.Context, Shared) error) error {
	return b.share(ctx, StreamParked, "helve_verdicts", b.subj.of("*", "verdict", "*"), handle)
}

// ServeAsked is the same for each request that was put into an inbox; ID is the
// user.
func (b *Bus) ServeAsked(ctx context.Context, handle func(context.Context, Shared) error) error {
	return b.share(ctx, StreamConsent, "helve_asked", b.subj.ConsentRequest("*", "*"), handle)
}

// ServeRefused is the same for each consent whose request found no room.
func (b *Bus) ServeRefused(ctx context.Context, handle func(context.Context, Shared) error) error {
	return b.share(ctx, StreamParked, "helve_refused", b.subj.Refused("*", "*"), handle)
}

// ServeTimers is the same for each timer of [Bus.SetTimer] that fired.
func (b *Bus) ServeTimers(ctx context.Context, handle func(context.Context, Shared) error) error {
	return b.share(ctx, StreamTimers, "helve_fired", b.subj.of("*", "fired", "*"), handle)
}

// share returns when the work is taken up. A consumer that is gone, because NATS
// came back without its data, is made again.
func (b *Bus) share(ctx context.Context, stream, name, filter string, handle func(context.Context, Shared) error) error {
	gone := make(chan struct{}, 1)
	stop, err := b.takePart(ctx, stream, name, filter, handle, gone)
	if err != nil {
		return err
	}
	b.crew.Go(func() {
		for {
			select {
			case <-ctx.Done():
				stop()
				return
			case <-gone:
			}
			stop()
			for {
				err := b.prepare(ctx)
				if err == nil {
					stop, err = b.takePart(ctx, stream, name, filter, handle, gone)
				}
				if err == nil || ctx.Err() != nil {
					break
				}
				b.log.Warn("shared work is not taken up; trying again", zap.String("consumer", name), zap.Error(err))
				select {
				case <-ctx.Done():
				case <-time.After(prepareRetry):
				}
			}
		}
	})
	return nil
}

func (b *Bus) takePart(ctx context.Context, stream, name, filter string, handle func(context.Context, Shared) error, gone chan<- struct{}) (stop func(), err error) {
	consumer, err := b.js.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Durable: name, FilterSubject: filter, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: sharedAckWait, MaxAckPending: sharedAtOnce, MaxDeliver: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: consumer %s: %w", ErrUnavailable, name, err)
	}
	run, err := consumer.Consume(func(m jetstream.Msg) {
		work := Shared{Data: m.Data()}
		work.Tenant, work.ID = b.subj.tenantAndLast(m.Subject())
		if meta, err := m.Metadata(); err == nil {
			work.Again = meta.NumDelivered > 1
		}
		b.crew.Go(func() { b.workOn(ctx, name, m, func() error { return handle(ctx, work) }) })
	}, jetstream.PullMaxMessages(sharedAtOnce), jetstream.PullExpiry(sharedAsks), jetstream.PullHeartbeat(sharedHeartbeat), jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
		// A missing heartbeat can mean that nobody is there to send one.
		if errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) ||
			errors.Is(err, jetstream.ErrNoHeartbeat) && b.lost(ctx, stream, name) {
			select {
			case gone <- struct{}{}:
			default:
			}
		}
	}))
	if err != nil {
		return nil, fmt.Errorf("%w: consumer %s: %w", ErrUnavailable, name, err)
	}
	return run.Stop, nil
}

// lost reports whether the server says that a consumer is not there.
func (b *Bus) lost(ctx context.Context, stream, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	_, err := b.js.Consumer(ctx, stream, name)
	return errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound)
}

// workOn runs do for one message and settles it.
func (b *Bus) workOn(ctx context.Context, name string, m jetstream.Msg, do func() error) {
	beat := time.NewTicker(sharedBeat)
	defer beat.Stop()
	done := make(chan error, 1)
	b.crew.Go(func() { done <- do() })
	for {
		select {
		case <-beat.C:
			_ = m.InProgress() // if it is lost another process does the work too
		case err := <-done:
			if err != nil {
				if ctx.Err() == nil {
					b.log.Warn("not carried out; trying again", zap.String("consumer", name), zap.Error(err))
				}
				err = m.NakWithDelay(sharedRetry)
			} else {
				err = m.Ack()
			}
			if err != nil && ctx.Err() == nil {
				b.log.Warn("shared work not settled; it is done again", zap.String("consumer", name), zap.Error(err))
			}
			return
		}
	}
}
