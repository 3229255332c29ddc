package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// walk reads a stream in order, from a place on.
type walk struct {
	bus    *Bus
	stream string
	// filter is the subjects that are meant, "" for all; next the place to go on
	// from.
	filter string
	next   uint64
	// batch is how many messages are asked for, and held, at a time.
	batch int
	// wait is how long a request waits for what comes, and the next one then;
	// 0 ends the walk when all that is there was given.
	wait time.Duration
	each func(*nats.Msg, *nats.MsgMetadata) error
}

const (
	// walkIdle is how long the server keeps a reader that asks for nothing.
	walkIdle  = time.Minute
	walkRetry = 250 * time.Millisecond
	// walkGather is how long a reader that waits lets messages gather behind
	// the first that came. One by one each would cost the server and the reader
	// a round of their loops and two system calls.
	walkGather = 50 * time.Millisecond
	// walkTries is how often a reader that shall not wait begins anew without
	// having got on.
	walkTries = 3
)

// errCut means that a walk must begin anew where it stopped.
var errCut = errors.New("the reader lost its place")

var errReconnected = fmt.Errorf("%w: the connection was lost", errCut)

// run walks until the end, until ctx ends or until each fails. What the server
// forgets and what is lost on the way is asked for again.
func (w *walk) run(ctx context.Context) error {
	connected := w.bus.nc.StatusChanged(nats.CONNECTED)
	defer w.bus.nc.RemoveStatusListener(connected)
	for tries := 1; ; tries++ {
		from := w.next
		err := w.session(ctx, connected)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(err, errCut):
			return err
		case w.next > from:
			tries = 0
		case w.wait == 0 && tries >= walkTries:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		w.bus.log.Debug("reading a stream anew", zap.String("stream", w.stream), zap.Uint64("from", w.next), zap.Error(err))
		select {
		case <-ctx.Done():
		case <-connected:
		case <-time.After(walkRetry):
		}
	}
}

// session walks with one consumer. It needs no acknowledgements: a gap in the
// consumer's own count shows what was lost.
func (w *walk) session(ctx context.Context, connected <-chan nats.Status) error {
	made, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	consumer, err := w.bus.js.CreateConsumer(made, w.stream, jetstream.ConsumerConfig{
		FilterSubject: w.filter, AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(w.next, 1),
		InactiveThreshold: walkIdle,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	name := consumer.CachedInfo().Name
	defer w.forget(ctx, name)

	inbox := w.bus.nc.NewInbox()
	got := make(chan *nats.Msg, w.batch+16) // and what the server says between
	sub, err := w.bus.nc.ChanSubscribe(inbox, got)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() { _ = sub.Unsubscribe() }()

	p := place{consumer: name, inbox: inbox, got: got, connected: connected}
	all := pull{w.batch, `"no_wait":true`, readTimeout}
	first := pull{1, fmt.Sprintf(`"expires":%d,"idle_heartbeat":%d`, w.wait, min(pullHeartbeat, w.wait/2)), pullDeaf}
	for {
		more, err := w.take(ctx, &p, all)
		if err != nil {
			return err
		}
		if more {
			continue
		}
		if w.wait == 0 {
			return nil
		}
		for came := false; !came; {
			if came, err = w.take(ctx, &p, first); err != nil {
				return err
			}
		}
		select {
		case <-time.After(walkGather):
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-connected:
			return errReconnected
		}
	}
}

// place is where a session's messages come in.
type place struct {
	consumer, inbox string
	got             <-chan *nats.Msg
	connected       <-chan nats.Status
	// seen is the consumer's own count.
	seen uint64
}

// pull is what the server is asked for: so many messages at most, on these
// terms, and how long it may say nothing.
type pull struct {
	most     int
	terms    string
	patience time.Duration
}

// take gives what one request brings, and reports whether that was as much as
// was asked for.
func (w *walk) take(ctx context.Context, p *place, ask pull) (full bool, err error) {
	err = w.bus.nc.PublishMsg(&nats.Msg{
		Subject: "$JS.API.CONSUMER.MSG.NEXT." + w.stream + "." + p.consumer, Reply: p.inbox,
		Data: fmt.Appendf(nil, `{"batch":%d,%s}`, ask.most, ask.terms),
	})
	if err != nil {
		return false, fmt.Errorf("%w: %w", errCut, err)
	}
	deaf := time.NewTimer(ask.patience)
	defer deaf.Stop()
	for taken := 0; taken < ask.most; {
		var msg *nats.Msg
		select {
		case msg = <-p.got:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-p.connected:
			return false, errReconnected
		case <-deaf.C:
			if len(p.got) > 0 { // it was each that took its time
				deaf.Reset(ask.patience)
				continue
			}
			return false, fmt.Errorf("%w: nothing came in %v", errCut, ask.patience)
		}
		if len(msg.Data) == 0 && msg.Header.Get("Status") != "" {
			switch status := msg.Header.Get("Status"); status {
			case "100":
				deaf.Reset(ask.patience)
			case "404", "408":
				return false, nil
			default:
				return false, fmt.Errorf("%w: %s %s", errCut, status, msg.Header.Get("Description"))
			}
			continue
		}
		meta, err := msg.Metadata()
		if err != nil {
			return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		if meta.Sequence.Consumer != p.seen+1 {
			return false, fmt.Errorf("%w: message %d of it came after %d", errCut, meta.Sequence.Consumer, p.seen)
		}
		p.seen++
		taken++
		if err := w.each(msg, meta); err != nil {
			return false, err
		}
		w.next = meta.Sequence.Stream + 1
		if taken%64 == 0 || meta.NumPending == 0 {
			deaf.Reset(ask.patience)
		}
	}
	return true, nil
}

// forget removes the consumer. The server would do so by itself, later.
func (w *walk) forget(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	if !w.bus.nc.IsConnected() {
		return
	}
	if err := w.bus.js.DeleteConsumer(ctx, w.stream, name); err != nil {
		w.bus.log.Debug("reader not removed", zap.String("stream", w.stream), zap.Error(err))
	}
}
