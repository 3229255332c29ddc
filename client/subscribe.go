package client

import (
	"context"
	"errors"
	"iter"

	"github.com/nats-io/nats.go"
)

// events subscribes, over NATS, before it returns, because NATS does not repeat
// messages: events of the caller's next step are not missed.
func (t *natsTransport) events(ctx context.Context, traceID, _ string) iter.Seq2[Event, error] {
	sub, err := t.nc.SubscribeSync(t.base + "event." + traceID + ".*")
	if err != nil {
		return failing(unreachable(t.shown, err))
	}
	// The subscription must not outlive ctx even if the sequence is never read.
	release := context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() })
	if err := t.flush(ctx); err != nil {
		release()
		_ = sub.Unsubscribe()
		return failing(ended(ctx, unreachable(t.shown, err)))
	}
	return func(yield func(Event, error) bool) {
		defer release()
		defer func() { _ = sub.Unsubscribe() }()
		for {
			msg, err := sub.NextMsgWithContext(ctx)
			if ctx.Err() != nil {
				return
			}
			var e Event
			if err == nil {
				e, err = parseEvent(msg.Data)
			} else {
				err = t.unheard(err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// flush waits until the server has processed the subscription.
func (t *natsTransport) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	return t.nc.FlushWithContext(ctx)
}

func (t *natsTransport) unheard(err error) error {
	if errors.Is(err, nats.ErrSlowConsumer) {
		return &RequestError{
			Type: Overloaded, cause: err,
			Message: "events were lost because they were not read fast enough",
		}
	}
	return unreachable(t.shown, err)
}
