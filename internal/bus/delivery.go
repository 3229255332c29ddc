package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// Delivery is a call that this worker holds. It is kept alive by heartbeats
// until Ack, Retry or the end of the process.
type Delivery struct {
	*Envelope
	// Attempt counts deliveries, from 1.
	Attempt int

	consumer *Consumer
	reply    string
	taken    time.Time
	freed    atomic.Bool
}

// Redelivered reports whether an earlier attempt may have started the call.
func (d *Delivery) Redelivered() bool { return d.Attempt > 1 || d.Again }

// Release frees the slot: the tool is done, though the result may still be on
// its way.
func (d *Delivery) Release() {
	if d.freed.CompareAndSwap(false, true) {
		d.consumer.release()
	}
}

// open reads one message of the queue. What cannot be read is moved to the
// dead-letter stream: no result could be sent to anybody.
func (c *Consumer) open(msg *nats.Msg) *Delivery {
	d := &Delivery{consumer: c, reply: msg.Reply, taken: time.Now(), Attempt: 1}
	if meta, err := msg.Metadata(); err == nil {
		d.Attempt = int(meta.NumDelivered)
	}
	tenant, tokens, ok := c.bus.subj.split(msg.Subject, 3)
	if !ok || len(tokens) < 3 {
		c.bury(msg, "the subject is not <tenant>.call.<pool>.<tool>")
		return nil
	}
	e, err := decodeEnvelope(msg.Data)
	if err != nil {
		c.bury(msg, "not a call: "+err.Error())
		return nil
	}
	if e.Tool != tokens[2] {
		// Permissions are given on subjects: the subject is the truth.
		c.bury(msg, "the call names another tool than its subject")
		return nil
	}
	e.Tenant, e.Pool, e.Traceparent = tenant, tokens[1], msg.Header.Get(headerTraceparent)
	d.Envelope = e
	if e.ArgumentsRef != "" && e.ArgumentsRef != argumentsName(e) {
		c.bury(msg, "arguments_ref names the arguments of another call")
		return nil
	}
	return d
}

func (c *Consumer) nak(msg *nats.Msg, delay time.Duration) {
	verb := `-NAK {"delay":` + strconv.FormatInt(delay.Nanoseconds(), 10) + `}`
	if err := c.bus.nc.Publish(msg.Reply, []byte(verb)); err != nil {
		c.bus.log.Warn("call not given back", zap.Error(err))
	}
}

// headerReason says why a message is dead.
const headerReason = "Helve-Reason"

// bury keeps an unreadable message for an operator and takes it off the queue.
// If it cannot be kept it stays on the queue.
func (c *Consumer) bury(msg *nats.Msg, reason string) {
	tenant, _, ok := c.bus.subj.split(msg.Subject, 1)
	if !ok {
		tenant = "default"
	}
	c.bus.log.Warn("dead letter", zap.String("subject", msg.Subject), zap.String("reason", reason))
	c.bus.publish(&nats.Msg{
		Subject: c.bus.subj.Dead(tenant, c.pool),
		Header:  nats.Header{headerReason: {reason}, "Helve-Subject": {msg.Subject}},
		Data:    msg.Data,
	}, func(_ stored, err error) {
		if err != nil {
			c.nak(msg, time.Second)
			return
		}
		if err := c.bus.nc.Publish(msg.Reply, []byte("+TERM")); err != nil {
			c.bus.log.Warn("dead letter not taken off the queue", zap.Error(err))
		}
		c.onDead()
	})
}

// loadTimeout bounds fetching large arguments.
const loadTimeout = 10 * time.Second

// LoadArguments fetches arguments that were too large for the message. It may
// take its time, so it is for whoever runs the call. ErrNoObject means that
// they are no longer stored.
func (d *Delivery) LoadArguments(ctx context.Context) error {
	if d.ArgumentsRef == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	raw, err := d.consumer.bus.callData.GetBytes(ctx, d.ArgumentsRef)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return ErrNoObject
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	d.Arguments = raw
	return nil
}
