package client

import (
	"context"
	"errors"
)

// link ends when the connection is lost. NATS makes connections again by itself,
// but a request that was on its way is then answered by nobody.
type link struct {
	ctx context.Context //nolint:containedctx // it is an event, not the context of a request
	cut context.CancelFunc
}

var errLost = errors.New("the connection was lost")

// relink cuts the link, if there is one, and makes the next.
func (t *natsTransport) relink() {
	ctx, cut := context.WithCancel(context.Background())
	if old := t.link.Swap(&link{ctx, cut}); old != nil {
		old.cut()
	}
}

// linked returns ctx so that it also ends with the present link.
func (t *natsTransport) linked(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	release := context.AfterFunc(t.link.Load().ctx, func() { cancel(unreachable(t.shown, errLost)) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}
