package bus

import (
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/failpoint"
)

// Acknowledgements go out together, and the last one rests until another comes
// or nothing has for a while. A call that was acknowledged at once emptied the
// queue's file at low load, and the server then replaces the file: measured,
// 400 µs for each call, in the way of the next one. What a killed worker had
// not acknowledged is delivered again, and found to have a result.
const (
	ackEvery = 10 * time.Millisecond
	ackRest  = 100 * time.Millisecond
)

// Ack removes the call from the queue, soon. It must follow the
// acknowledgement of the stored result, never go before it.
func (d *Delivery) Ack() {
	c := d.consumer
	c.mu.Lock()
	delete(c.held, d)
	c.acks = append(c.acks, d.reply)
	if len(c.acks) == 1 {
		c.wake(c.acked)
	}
	idle := len(c.held) == 0
	c.mu.Unlock()
	if idle {
		c.notifyIdle()
	}
}

// Retry gives the call back: it is delivered again, to whoever is free, after
// the delay.
func (d *Delivery) Retry(delay time.Duration) {
	idle := d.drop()
	d.consumer.say(d.reply, `-NAK {"delay":`+strconv.FormatInt(delay.Nanoseconds(), 10)+`}`)
	if idle {
		d.consumer.notifyIdle()
	}
}

// Leave lets go of a call that another delivery of it is running, here or
// elsewhere. Its heartbeats keep the call; should they end, the queue delivers
// it again. Giving it back would count as one more attempt.
func (d *Delivery) Leave() {
	if d.drop() {
		d.consumer.notifyIdle()
	}
}

// drop ends the heartbeats and reports whether nothing is held any more.
func (d *Delivery) drop() (idle bool) {
	c := d.consumer
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, d)
	return len(c.held) == 0
}

// sendAcks sends what there is to acknowledge, up to the last, and returns when
// to look again; 0 means when there is something new. A last one that rests
// since before the time given is sent too.
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
	return min(ackRest, c.bus.opts.AckWait/beatsPerWait)
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

// say tells the server what becomes of a delivery. If that is lost the call is
// delivered again, and finds its stored result.
func (c *Consumer) say(reply, verb string) {
	err := failpoint.Hit(failpoint.BusSettle)
	if err == nil {
		err = c.bus.nc.Publish(reply, []byte(verb))
	}
	if err != nil {
		c.bus.log.Warn("the queue was not told what became of a call", zap.String("verb", verb), zap.Error(err))
	}
}
