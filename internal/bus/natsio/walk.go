package natsio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// Walk reads a stream in order.
type Walk struct {
	Conn   *Conn
	Stream string
	// Filter selects subjects, all if it is empty; Next is the place to read from.
	Filter string
	Next   uint64
	// Since, if set, leaves out messages that were stored before it.
	Since time.Time
	// Batch is the number of messages that are requested, and held, at a time.
	Batch int
	// Wait is the longest time that one request waits for new messages, before the next one;
	// 0 ends the walk after the messages that are stored.
	Wait time.Duration
	Each func(*nats.Msg, *nats.MsgMetadata) error
	// Headers leaves the bodies out.
	Headers bool
	// Rest, if set, is called after the messages that were stored, before the walk waits
	// for new ones.
	Rest func() error

	// end is the place of the last message that a walk must reach before it ends.
	end uint64
}

const (
	// WalkIdle is the time the server keeps a reader that requests nothing.
	WalkIdle = time.Minute
	// WalkWait is the usual [Walk.Wait] of a walk that follows a stream.
	WalkWait  = 30 * time.Second
	walkRetry = 250 * time.Millisecond
	// walkGather is the time in which a walk that waits lets messages gather behind the
	// first one. Message by message, each would cost the server and the reader a round of
	// their loops and two system calls.
	walkGather = 50 * time.Millisecond
	// walkTries is the number of sessions without progress that ends a walk which does not
	// wait.
	walkTries = 3
	// walkHeartbeat is the time after which the server must show that it still has a request.
	walkHeartbeat = 5 * time.Second
)

// errCut means that a walk needs a new session from the place where it stopped.
var errCut = errors.New("the reader lost its place")

// ErrRemade ends a walk along a stream that was deleted and made again: its places mean
// nothing in the new one.
var ErrRemade = fmt.Errorf("%w: the stream was made again", ErrUnavailable)

var errReconnected = fmt.Errorf("%w: the connection was lost", errCut)

// Run walks until the end, until ctx ends or until Each fails. It requests messages
// again that were lost on the way, or by a restart of the server.
func (w *Walk) Run(ctx context.Context) error {
	connected := w.Conn.nc.StatusChanged(nats.CONNECTED)
	defer w.Conn.nc.RemoveStatusListener(connected)
	remade := Remade(w.Conn, w.Stream)
	w.end = math.MaxUint64
	for tries := 1; ; tries++ {
		if err := w.learnEnd(ctx); err != nil {
			return err
		}
		from := w.Next
		err := w.session(ctx, connected, remade)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(err, errCut):
			return err
		case w.Next > from:
			tries = 0
		case w.Wait == 0 && tries >= walkTries:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		w.Conn.log.Debug("stream read again", zap.String("stream", w.Stream), zap.Uint64("from", w.Next), zap.Error(err))
		select {
		case <-ctx.Done():
		case <-remade:
			return ErrRemade
		case <-connected:
		case <-time.After(walkRetry):
		}
	}
}

// learnEnd sets the place of the last message that is stored when the walk begins, or of an
// earlier one if that is removed meanwhile. With several copies of a stream a consumer reads one
// of them, which may be behind: its end is not the end of the stream. Measured on three
// servers: a walk right after an acknowledgement missed the message in one of 20 cases.
func (w *Walk) learnEnd(ctx context.Context) error {
	if w.Wait > 0 || w.Conn.opts.Replicas < 2 {
		w.end = 0
		return nil
	}
	last, err := w.Conn.Last(ctx, w.Stream, cmp.Or(w.Filter, ">"))
	if errors.Is(err, ErrNotStored) {
		w.end = 0
		return nil
	}
	if err != nil {
		return err
	}
	place, err := Place(last)
	w.end = min(w.end, place)
	return err
}

// session walks with one consumer. It needs no acknowledgements: a gap in the
// consumer's own count shows what was lost.
func (w *Walk) session(ctx context.Context, connected <-chan nats.Status, remade <-chan struct{}) error {
	made, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	from := jetstream.ConsumerConfig{
		FilterSubject: w.Filter, AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(w.Next, 1),
		InactiveThreshold: WalkIdle, HeadersOnly: w.Headers,
	}
	if w.Next == 0 && !w.Since.IsZero() {
		from.DeliverPolicy, from.OptStartSeq, from.OptStartTime = jetstream.DeliverByStartTimePolicy, 0, &w.Since
	}
	consumer, err := w.Conn.js.CreateConsumer(made, w.Stream, from)
	if err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	name := consumer.CachedInfo().Name
	defer w.forget(ctx, name)

	inbox := w.Conn.nc.NewInbox()
	got := make(chan *nats.Msg, w.Batch+16) // and the status messages between
	sub, err := w.Conn.nc.ChanSubscribe(inbox, got)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() { _ = sub.Unsubscribe() }()

	p := place{consumer: name, inbox: inbox, got: got, connected: connected, remade: remade}
	all := pull{w.Batch, `"no_wait":true`, ReadTimeout}
	first := pull{1, fmt.Sprintf(`"expires":%d,"idle_heartbeat":%d`, w.Wait, min(walkHeartbeat, w.Wait/2)), 3 * walkHeartbeat}
	for {
		more, err := w.take(ctx, &p, all)
		if err != nil {
			return err
		}
		if more {
			continue
		}
		if w.Wait == 0 {
			if w.end > 0 && w.Next <= w.end {
				return fmt.Errorf("%w: the copy that was read ends before message %d", errCut, w.end)
			}
			return nil
		}
		if w.Rest != nil {
			if err := w.Rest(); err != nil {
				return err
			}
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

// place is where the messages of a session are received.
type place struct {
	consumer, inbox string
	got             <-chan *nats.Msg
	connected       <-chan nats.Status
	remade          <-chan struct{}
	// seen is the number that the consumer gave to the last message.
	seen uint64
}

// pull is one request: for how many messages at most, on which terms, and how long the
// server may be silent.
type pull struct {
	most     int
	terms    string
	patience time.Duration
}

// take calls Each for the messages of one request, and reports whether they were as
// many as requested.
func (w *Walk) take(ctx context.Context, p *place, ask pull) (full bool, err error) {
	err = w.Conn.nc.PublishMsg(&nats.Msg{
		Subject: w.Conn.API() + "CONSUMER.MSG.NEXT." + w.Stream + "." + p.consumer, Reply: p.inbox,
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
		case <-p.remade:
			return false, ErrRemade
		case <-p.connected:
			return false, errReconnected
		case <-deaf.C:
			if len(p.got) > 0 { // Each took the time
				deaf.Reset(ask.patience)
				continue
			}
			return false, fmt.Errorf("%w: nothing came in %v", errCut, ask.patience)
		}
		// A stored message may have any header; a message of the server has no place.
		if msg.Reply == "" && msg.Header.Get("Status") != "" {
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
			return false, fmt.Errorf("%w: message %d came after message %d", errCut, meta.Sequence.Consumer, p.seen)
		}
		p.seen++
		taken++
		if err := w.Each(msg, meta); err != nil {
			return false, err
		}
		w.Next = meta.Sequence.Stream + 1
		if taken%64 == 0 || meta.NumPending == 0 {
			deaf.Reset(ask.patience)
		}
	}
	return true, nil
}

// forget removes the consumer, which the server would do later.
func (w *Walk) forget(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ReadTimeout)
	defer cancel()
	if !w.Conn.nc.IsConnected() {
		return
	}
	if err := w.Conn.js.DeleteConsumer(ctx, w.Stream, name); err != nil {
		w.Conn.log.Debug("reader not removed", zap.String("stream", w.Stream), zap.Error(err))
	}
}
