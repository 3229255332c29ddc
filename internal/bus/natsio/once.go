package natsio

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
)

// lenient replaces invalid UTF-8 in records rather than refusing them.
var lenient = jsontext.AllowInvalidUTF8(true)

const (
	// onceTries bounds how often a write whose acknowledgement did not come is repeated,
	// and the read of the record that is there.
	onceTries = 3
	// onceReadPause is the pause before such a read is repeated: the stream may be changing
	// its leader.
	onceReadPause = 300 * time.Millisecond
)

// repeatAfter is the time after which a once-only message without an acknowledgement is sent
// again: it, or its acknowledgement, may have been lost with a server.
const repeatAfter = time.Second

// PublishOnce is [Conn.Publish] to a subject that keeps its first message: a second copy has no
// effect, so it is sent if the acknowledgement is late. With repeated, an [ErrExists] may
// mean the first copy.
func PublishOnce(c *Conn, msg *nats.Msg, done func(repeated bool, err error)) {
	var repeated atomic.Bool
	again := func(reply string) {
		repeated.Store(true)
		// If this fails, the wait ends as it would have without it.
		_ = c.nc.PublishMsg(&nats.Msg{Subject: msg.Subject, Header: msg.Header, Data: msg.Data, Reply: reply})
	}
	c.publish(msg, repeatFirst, again, func(_ Ack, err error) { done(repeated.Load(), err) })
}

// publishOnceWait is PublishOnce that waits for the acknowledgement.
func publishOnceWait(ctx context.Context, c *Conn, msg *nats.Msg) (repeated bool, err error) {
	type outcome struct {
		repeated bool
		err      error
	}
	done := make(chan outcome, 1)
	PublishOnce(c, msg, func(repeated bool, err error) { done <- outcome{repeated, err} })
	select {
	case out := <-done:
		return out.repeated, out.err
	case <-ctx.Done():
		return true, fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
}

// WriteOnce stores rec under a subject of a stream that keeps the first message of each
// subject, and returns it. With [ErrExists] it returns the record that is there. A write
// whose acknowledgement was lost may have been stored: it is tried again, and a record
// that is then there and equals rec counts as stored by this call.
func WriteOnce[T comparable](ctx context.Context, c *Conn, stream, subject string, rec T) (*T, error) {
	data, err := json.Marshal(rec, lenient)
	if err != nil {
		return nil, err
	}
	lost := false // whether an acknowledgement was
	for try := 1; ; try++ {
		repeated, err := publishOnceWait(ctx, c, &nats.Msg{Subject: subject, Data: data})
		lost = lost || repeated
		switch {
		case err == nil:
			return &rec, nil
		case errors.Is(err, ErrExists):
			got, err := readThere[T](ctx, c, stream, subject)
			if err != nil {
				return nil, err
			}
			if got == nil {
				return nil, fmt.Errorf("%w: the record was removed meanwhile", ErrUnavailable)
			}
			if lost && *got == rec {
				return got, nil
			}
			return got, ErrExists
		case try == onceTries || ctx.Err() != nil:
			return nil, err
		}
		lost = true
	}
}

// readThere is [ReadOnce] for a record that is known to be there.
func readThere[T any](ctx context.Context, c *Conn, stream, subject string) (*T, error) {
	for try := 1; ; try++ {
		rec, err := ReadOnce[T](ctx, c, stream, subject)
		if err == nil || try == onceTries {
			return rec, err
		}
		select {
		case <-time.After(onceReadPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// ReadOnce returns the record under a subject, nil if there is none.
func ReadOnce[T any](ctx context.Context, c *Conn, stream, subject string) (*T, error) {
	msg, err := c.Last(ctx, stream, subject)
	if errors.Is(err, ErrNotStored) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rec := new(T)
	if err := json.Unmarshal(msg.Data, rec); err != nil {
		return nil, fmt.Errorf("record %s: %w", subject, err)
	}
	return rec, nil
}
