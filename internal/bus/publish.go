package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/failpoint"
)

// ackTimeout is how long JetStream may take to acknowledge.
const ackTimeout = 5 * time.Second

// ErrExists means that a once-only write found its subject taken.
var ErrExists = errors.New("already stored")

// ErrFull means that a stream takes no more: back-pressure.
var ErrFull = errors.New("the stream is full")

// stored is JetStream's acknowledgement.
type stored struct {
	Seq       uint64 `json:"seq"`
	Duplicate bool   `json:"duplicate"`
	Error     *struct {
		Code        int    `json:"code"`
		ErrCode     int    `json:"err_code"`
		Description string `json:"description"`
	} `json:"error"`
}

// JetStream's error codes we act on; nats-server/server/errors.json.
const (
	errStreamStoreFailed = 10077 // carries the reason as text
)

// parseAck reads an acknowledgement; nil means that none came.
func parseAck(msg *nats.Msg) (stored, error) {
	if msg == nil {
		return stored{}, fmt.Errorf("%w: no acknowledgement came in %v", ErrUnavailable, ackTimeout)
	}
	if msg.Header.Get("Status") == "503" {
		return stored{}, fmt.Errorf("%w: no stream takes this subject", ErrUnavailable)
	}
	if err := failpoint.Hit(failpoint.BusAck); err != nil {
		return stored{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if bytes.HasPrefix(msg.Data, []byte(`{"stream":"`)) && !bytes.Contains(msg.Data, []byte(`"error"`)) {
		return stored{}, nil // what nearly all are need not be read
	}
	var ack stored
	if err := json.Unmarshal(msg.Data, &ack); err != nil {
		return stored{}, fmt.Errorf("%w: unreadable acknowledgement: %w", ErrUnavailable, err)
	}
	if ack.Error == nil {
		return ack, nil
	}
	if ack.Error.ErrCode == errStreamStoreFailed {
		switch ack.Error.Description {
		case "maximum messages per subject exceeded":
			return stored{}, ErrExists
		case "maximum messages exceeded", "maximum bytes exceeded":
			return stored{}, ErrFull
		}
	}
	return stored{}, fmt.Errorf("%w: %s (%d)", ErrUnavailable, ack.Error.Description, ack.Error.ErrCode)
}

// publish sends msg and calls done once with the acknowledgement. It does not
// block; done runs on the goroutine that reads acknowledgements and must be
// quick.
func (b *Bus) publish(msg *nats.Msg, done func(stored, error)) {
	msg.Reply = b.acks.expect(time.Now().Add(ackTimeout), func(reply *nats.Msg) {
		done(parseAck(reply))
	})
	err := failpoint.Hit(failpoint.BusPublish)
	if err == nil {
		err = b.nc.PublishMsg(msg)
	}
	if err != nil {
		// The waiter stays until its time is over; answer now, once.
		b.acks.drop(msg.Reply, func() { done(stored{}, fmt.Errorf("%w: %w", ErrUnavailable, err)) })
	}
}

// publishWait sends msg and waits for the acknowledgement.
func (b *Bus) publishWait(ctx context.Context, msg *nats.Msg) error {
	done := make(chan error, 1)
	b.publish(msg, func(_ stored, err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
}
