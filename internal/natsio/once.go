package natsio

import (
	"context"
	"errors"
	"fmt"
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
		repeated, err := c.publishOnceWait(ctx, &nats.Msg{Subject: subject, Data: data})
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
