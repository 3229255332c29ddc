package queue

import (
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// Acknowledgements are sent together, and the last one waits until another comes or none
// has for a while. A call that was acknowledged immediately emptied the queue's file at low
// load, and the server then replaces the file: measured, 400 µs for each call, on the path
// of the next one. Calls that a killed worker had not acknowledged are delivered again, and
// found to have a result.
const (
	ackEvery = 10 * time.Millisecond
	ackRest  = 100 * time.Millisecond
)

// Ack removes the call from the queue, after a short delay. It must follow the
// acknowledgement of the stored result, never precede it.
func (d *Delivery) Ack() {
	c := d.consumer
	c.mu.Lock()
	delete(c.held, d)
	if !d.direct {
		c.acks = append(c.acks, d.reply)
		if len(c.acks) == 1 {
			c.wake(c.acked)
		}
	}
	idle := len(c.held) == 0
	c.mu.Unlock()
	if idle {
		c.notifyIdle()
	}
}

// Retry returns the call to the queue: it is delivered again, to any free worker, after the
// delay.
func (d *Delivery) Retry(delay time.Duration) {
	if d.direct {
		d.declineHeld()
		return
	}
	idle := d.drop()
	d.consumer.say(d.reply, `-NAK {"delay":`+strconv.FormatInt(delay.Nanoseconds(), 10)+`}`)
	if idle {
		d.consumer.notifyIdle()
	}
}

// Leave drops a call that another delivery of it is running, here or elsewhere. The
// heartbeats of that delivery keep the call; if they end, the queue delivers it again.
// Returning it would count as one more attempt.
func (d *Delivery) Leave() {
	if d.drop() {
		d.consumer.notifyIdle()
	}
}

// drop ends the heartbeats and reports whether no call is held any longer.
func (d *Delivery) drop() (idle bool) {
	c := d.consumer
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, d)
	return len(c.held) == 0
}

// sendAcks sends the waiting acknowledgements except the last, and returns when to check
// again; 0 means when there is a new one. The last one is sent too if it has waited since before
// the given time.
func (c *Consumer) sendAcks(now time.Time) (again time.Duration) {
	c.mu.Lock()
	n := len(c.acks)
	if n > 1 {
		c.rests = now
		n--
	} else if n == 1 && now.Sub(c.rests) < c.ackRest() {
		n = 0
	}
	acks := c.acks[:n:n]
	c.acks = slices.Clone(c.acks[n:])
	if len(c.acks) > 0 {
		again = ackEvery
	}
	c.mu.Unlock()
	for _, reply := range acks {
		c.say(reply, "+ACK")
	}
	return again
}

// ackRest is well below AckWait, after which the server would deliver again.
func (c *Consumer) ackRest() time.Duration {
	return min(ackRest, c.queue.opts.AckWait/beatsPerWait)
}

// flushAcks sends every acknowledgement.
func (c *Consumer) flushAcks() {
	c.mu.Lock()
	acks := c.acks
	c.acks = nil
	c.mu.Unlock()
	for _, reply := range acks {
		c.say(reply, "+ACK")
	}
}

// wake signals without waiting.
func (c *Consumer) wake(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

// say sends the outcome of a delivery to the server. If the message is lost the call is
// delivered again, and finds its stored result.
func (c *Consumer) say(reply, verb string) {
	err := failpoint.Hit(failpoint.QueueSettle)
	if err == nil {
		err = c.queue.conn.NATS().Publish(reply, []byte(verb))
	}
	if err != nil {
		c.queue.log.Warn("ack not sent", zap.String("verb", verb), zap.Error(err))
	}
}
