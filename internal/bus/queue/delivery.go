package queue

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
)

// Delivery is a call that this worker holds. Heartbeats keep it until Ack, Retry or the end
// of the process.
type Delivery struct {
	*call.Call
	// Attempt counts deliveries, from 1. Deliveries that ended in [Delivery.Move] do not
	// count.
	Attempt int

	consumer *Consumer
	lane     *lane
	reply    string
	direct   bool
	seq      uint64 // its sequence number in the stream
	taken    time.Time
	stored   time.Time // when the queue stored it; zero for a direct call
	freed    atomic.Bool

	// tenant and user are the shares of the call's owner; moving is set while a call that
	// waits for a slot is being moved. Guarded by the consumer's lock.
	tenant, user *share
	moving       bool
}

// Redelivered reports whether an earlier attempt may have started the call.
func (d *Delivery) Redelivered() bool { return d.Attempt > 1 || d.Copy }

// Release frees the slot: the tool has ended, though the result may not be stored yet.
func (d *Delivery) Release() {
	if d.freed.CompareAndSwap(false, true) {
		d.consumer.release(d)
	}
}

// open reads one message of the queue. An unreadable message is moved to the dead-letter
// stream: its result could not be sent to any caller.
func (c *Consumer) open(msg *nats.Msg, meta *nats.MsgMetadata, l *lane) *Delivery {
	d := &Delivery{
		consumer: c,
		lane:     l,
		reply:    msg.Reply,
		taken:    time.Now(),
		stored:   meta.Timestamp,
		Attempt:  int(meta.NumDelivered),
		seq:      meta.Sequence.Stream,
	}
	tenant, rest, _ := c.queue.subj.Cut(msg.Subject)
	_, rest, _ = strings.Cut(rest, ".")
	lane, name, ok := strings.Cut(rest, ".")
	if !ok {
		c.bury(msg, "the subject is not <tenant>.call.<pool>.<tool>")
		return nil
	}
	e, err := call.Decode(msg.Data)
	if err != nil {
		c.bury(msg, "not a call: "+err.Error())
		return nil
	}
	if e.Tool != name {
		// Permissions are given on subjects, so the subject counts.
		c.bury(msg, "the call names another tool than its subject")
		return nil
	}
	e.Tenant, e.Traceparent = tenant, msg.Header.Get(HeaderTraceparent)
	e.Pool, e.Lane = CutLane(lane)
	d.Call = e
	d.Attempt += max(0, e.Attempts)
	if e.ArgumentsRef != "" && e.ArgumentsRef != argumentsName(e) {
		c.bury(msg, "arguments_ref names the arguments of another call")
		return nil
	}
	return d
}

func (c *Consumer) nak(msg *nats.Msg, delay time.Duration) {
	verb := `-NAK {"delay":` + strconv.FormatInt(delay.Nanoseconds(), 10) + `}`
	if err := c.queue.conn.NATS().Publish(msg.Reply, []byte(verb)); err != nil {
		c.queue.log.Warn("call not given back", zap.Error(err))
	}
}

// HeaderReason is the header with the reason why a message is dead.
const HeaderReason = "Helve-Reason"

// HeaderSubject is the header of a dead message with the subject that it was queued under.
const HeaderSubject = "Helve-Subject"

// bury stores an unreadable message for an operator and removes it from the queue. If it
// cannot be stored it stays on the queue.
func (c *Consumer) bury(msg *nats.Msg, reason string) {
	tenant, _, ok := c.queue.subj.Cut(msg.Subject)
	if !ok {
		tenant = "default"
	}
	c.queue.log.Warn("dead letter", zap.String("subject", msg.Subject), zap.String("reason", reason))
	c.queue.conn.Publish(&nats.Msg{
		Subject: c.queue.subj.Dead(tenant, c.pool),
		Header:  nats.Header{HeaderReason: {reason}, HeaderSubject: {msg.Subject}},
		Data:    msg.Data,
	}, func(_ natsio.Ack, err error) {
		if err != nil {
			c.nak(msg, time.Second)
			return
		}
		if err := c.queue.conn.NATS().Publish(msg.Reply, []byte("+TERM")); err != nil {
			c.queue.log.Warn("dead letter not taken off the queue", zap.Error(err))
		}
		c.onDead()
	})
}

// LoadArguments fetches arguments that were too large for the message. It may take long, so
// the goroutine that runs the call must call it. natsio.ErrNoObject means that they are no
// longer stored.
func (d *Delivery) LoadArguments(ctx context.Context) error {
	return d.consumer.queue.loadArguments(ctx, d.Call)
}

// Queued returns the time at which the call began to wait for a worker: when it was
// accepted, or when a person let it go on.
func (d *Delivery) Queued() time.Time {
	if d.ConsentID != "" && !d.stored.IsZero() {
		return d.stored
	}
	return d.Accepted()
}

// Taken returns the time at which this worker received the call.
func (d *Delivery) Taken() time.Time { return d.taken }
