package queue

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// directFresh is the age above which a direct call is declined: its dispatcher queues it
// soon, or already has. It is below the time that a dispatcher waits, and above the
// difference of synchronized clocks.
const directFresh = 150 * time.Millisecond

// Direct reports whether the call is not queued: its dispatcher sent it to this worker.
// Then Ack and Leave send nothing, and Retry and Move decline the call, so that its
// dispatcher queues it. After them this worker must publish no result of the call.
func (d *Delivery) Direct() bool { return d.direct }

// receiveDirect starts a direct call if it may run here now, and declines it otherwise.
func (c *Consumer) receiveDirect(msg *nats.Msg) {
	if !natsio.Asked(msg.Reply) {
		c.queue.log.Error("direct call refused: JetStream was made to publish it", zap.String("subject", msg.Subject))
		return
	}
	if failpoint.Hit(failpoint.QueueReceiveDirect) != nil {
		return // as if the message was lost
	}
	d, err := c.openDirect(msg)
	switch {
	case err != nil:
		c.queue.log.Error("direct call refused", zap.String("subject", msg.Subject), zap.Error(err))
		c.decline(msg.Reply, unfit)
	case c.queue.store.Held() != nil, d.taken.Sub(d.Accepted()) > directFresh, !c.beginDirect(d):
		c.decline(msg.Reply, "")
	default:
		c.start(d)
	}
}

func (c *Consumer) openDirect(msg *nats.Msg) (*Delivery, error) {
	tenant, rest, _ := c.queue.subj.Cut(msg.Subject)
	part := strings.SplitN(rest, ".", 4)
	if len(part) != 4 {
		return nil, errors.New("the subject is not <tenant>.direct.<pool>.<lane>.<tool>")
	}
	e, err := call.Decode(msg.Data)
	if err != nil {
		return nil, err
	}
	if e.Tool != part[3] || e.ArgumentsRef != "" {
		return nil, errors.New("the call has another tool than its subject, or its arguments elsewhere")
	}
	e.Tenant, e.Pool, e.Lane = tenant, part[1], part[2]
	if e.Lane == directQuick {
		e.Lane = Quick
	}
	if msg.Header != nil {
		e.Traceparent = msg.Header.Get(HeaderTraceparent)
	}
	return &Delivery{Call: e, Attempt: 1, consumer: c, reply: msg.Reply, direct: true, taken: time.Now()}, nil
}

// beginDirect gives a direct call a slot. It returns false if this call or a call of the
// queue has to wait: direct calls never overtake others.
func (c *Consumer) beginDirect(d *Delivery) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped() || c.waiting > 0 || slices.ContainsFunc(c.lanes, func(l *lane) bool { return l.pending > 0 }) {
		return false
	}
	d.lane = c.lane(d.Lane)
	c.enter(d)
	if !c.free(d) {
		c.leave(d)
		return false
	}
	c.held[d] = struct{}{}
	c.begin(d)
	return true
}

// decline makes the dispatcher of a direct call queue it. If the message is lost the
// dispatcher queues it a moment later.
func (c *Consumer) decline(reply, why string) {
	err := failpoint.Hit(failpoint.QueueDecline)
	if err == nil {
		err = c.queue.conn.NATS().Publish(reply, []byte(why))
	}
	if err != nil {
		c.queue.log.Warn("direct call not declined", zap.Error(err))
	}
}

// declineHeld declines a direct call that this worker has.
func (d *Delivery) declineHeld() {
	idle := d.drop()
	d.consumer.decline(d.reply, unfit)
	if idle {
		d.consumer.notifyIdle()
	}
}
