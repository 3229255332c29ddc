package client

import (
	"context"
	"errors"
)

// link ends when the connection is lost. NATS reconnects by itself, but a request that
// was in flight then gets no answer.
type link struct {
	ctx context.Context
	cut context.CancelFunc
}

var errLost = errors.New("the connection was lost")

// relink ends the current link, if there is one, and starts the next.
func (t *natsTransport) relink() {
	ctx, cut := context.WithCancel(context.Background())
	if old := t.link.Swap(&link{ctx, cut}); old != nil {
		old.cut()
	}
}

// linked returns a context that ends with ctx or with the current link.
func (t *natsTransport) linked(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	release := context.AfterFunc(t.link.Load().ctx, func() { cancel(unreachable(t.shown, errLost)) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}
