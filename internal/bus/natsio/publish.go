package natsio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// AckTimeout is the time JetStream has to acknowledge.
const AckTimeout = 5 * time.Second

// ErrExists means that a once-only write found its subject taken.
var ErrExists = errors.New("already stored")

// ErrFull means that a stream refuses messages for lack of room: back-pressure.
var ErrFull = errors.New("the stream is full")

// Ack is JetStream's acknowledgement.
type Ack struct {
	Seq       uint64    `json:"seq"`
	Duplicate bool      `json:"duplicate"`
	Error     *AckError `json:"error"`
}

// AckError is why JetStream did not store a message.
type AckError struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

// JetStream's error codes we act on; nats-server/server/errors.json.
const (
	errStreamStoreFailed = 10077 // carries the reason as text
	// errWrongSequence and errWrongSequenceNow are refusals of a write that expects an
	// earlier message of its subject than there is; the latter comes from streams with copies.
	errWrongSequence, errWrongSequenceNow = 10071, 10164
)

// WrongSequence reports whether JetStream refused a write because there is a later message than
// it expects: another process was quicker.
func WrongSequence(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == errWrongSequence || api.ErrorCode == errWrongSequenceNow)
}

// storageLimits are the codes of a server or an account without more storage.
var storageLimits = map[int]bool{10002: true, 10023: true, 10028: true, 10047: true}

// AtLimit reports whether the server or the account has no more storage.
func (a Ack) AtLimit() bool { return a.Error != nil && storageLimits[a.Error.ErrCode] }

// ErrLimit is an [ErrFull] of the server or the account, not of the stream.
var ErrLimit = fmt.Errorf("%w: the storage limit of NATS is reached", ErrFull)

// ErrMessages is an [ErrFull] of a stream that holds as many messages as it may.
var ErrMessages = fmt.Errorf("%w: it holds as many messages as it may", ErrFull)

// parseAck reads an acknowledgement; nil means that none came.
func parseAck(msg *nats.Msg) (Ack, error) {
	if msg == nil {
		return Ack{}, fmt.Errorf("%w: no acknowledgement came in %v", ErrUnavailable, AckTimeout)
	}
	if msg.Header.Get("Status") == "503" {
		return Ack{}, fmt.Errorf("%w: no stream takes this subject", ErrUnavailable)
	}
	if err := failpoint.Hit(failpoint.QueueAck); err != nil {
		return Ack{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if bytes.HasPrefix(msg.Data, []byte(`{"stream":"`)) && !bytes.Contains(msg.Data, []byte(`"error"`)) {
		return Ack{}, nil // nearly all are such, and need not be read
	}
	var ack Ack
	if err := json.Unmarshal(msg.Data, &ack); err != nil {
		return Ack{}, fmt.Errorf("%w: unreadable acknowledgement: %w", ErrUnavailable, err)
	}
	if ack.Error == nil {
		return ack, nil
	}
	return Ack{}, ack.refusal()
}

// refusal returns the error of an acknowledgement that has one.
func (a Ack) refusal() error {
	if a.Error.ErrCode == errStreamStoreFailed {
		switch a.Error.Description {
		case "maximum messages per subject exceeded":
			return ErrExists
		case "maximum messages exceeded":
			return ErrMessages
		case "maximum bytes exceeded":
			return ErrFull
		}
	}
	if a.AtLimit() {
		return ErrLimit
	}
	if code := a.Error.ErrCode; code == errWrongSequence || code == errWrongSequenceNow {
		return ErrExists
	}
	return fmt.Errorf("%w: %s (%d)", ErrUnavailable, a.Error.Description, a.Error.ErrCode)
}

// Publish sends msg and calls done once with the acknowledgement. It does not
// block; done runs on the goroutine that reads acknowledgements and must be
// quick. While a stream changes its leader the message is sent again.
func (c *Conn) Publish(msg *nats.Msg, done func(Ack, error)) {
	c.publish(msg, repeatFirst, nil, done)
}

func (c *Conn) publish(msg *nats.Msg, pause time.Duration, again func(reply string), done func(Ack, error)) {
	now := time.Now()
	msg.Reply = c.replies.ExpectRepeated(now.Add(repeatAfter), now.Add(AckTimeout), again, func(reply *nats.Msg) {
		if unheard(reply) && c.leaderless.repeat(c.kindOf(msg.Subject), time.Now()) {
			time.AfterFunc(pause, func() { c.publish(msg, min(2*pause, repeatMost), again, done) })
			return
		}
		ack, err := parseAck(reply)
		switch {
		case err == nil:
			c.leaderless.heard(func() string { return c.kindOf(msg.Subject) })
			c.opts.Observer.Acknowledged(msg)
		case reply == nil:
			c.opts.Observer.Missed(msg)
		case errors.Is(err, ErrFull):
			c.opts.Observer.Refused(msg, err)
		}
		done(ack, err)
	})
	err := failpoint.Hit(failpoint.QueuePublish)
	if err == nil {
		err = c.nc.PublishMsg(msg)
	}
	if err != nil {
		// The waiter would stay until its time is over: end it now, once.
		c.replies.Drop(msg.Reply, func() { done(Ack{}, fmt.Errorf("%w: %w", ErrUnavailable, err)) })
	}
}

// PublishWait sends msg and waits for the acknowledgement.
func (c *Conn) PublishWait(ctx context.Context, msg *nats.Msg) error {
	done := make(chan error, 1)
	c.Publish(msg, func(_ Ack, err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
}

// Refusal returns the error of a write that JetStream refused, as [Conn.Publish] does.
func Refusal(api *jetstream.APIError) error {
	var ack Ack
	ack.Error = &AckError{Code: api.Code, ErrCode: int(api.ErrorCode), Description: api.Description}
	return ack.refusal()
}
