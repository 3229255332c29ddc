package queue

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// Move puts the call onto another lane of its pool, at the end, and takes this message off
// the queue: this delivery does not count as an attempt. Done is called once. Nil means
// that the delivery is over; with an error the call was not moved and is still held.
// Release must precede Move, as it must precede Ack.
//
// A process that ends between the two steps leaves two messages. So the copy is marked for
// the worker to look for an earlier attempt, and the message, delivered again, counts as
// one.
func (d *Delivery) Move(lane string, done func(error)) {
	if d.direct {
		d.declineHeld()
		done(nil)
		return
	}
	d.publishAgain(lane, func(err error) {
		if err == nil {
			err = failpoint.Hit(failpoint.QueueMoved)
		}
		if err == nil {
			d.consumer.ack(d)
		}
		done(err)
	})
}

// publishAgain puts a copy of the call onto a lane.
func (d *Delivery) publishAgain(lane string, done func(error)) {
	e := *d.Call
	e.Lane, e.Copy, e.Attempts = lane, true, d.Attempt-1
	e.Moves++
	if e.ArgumentsRef != "" {
		e.Arguments = nil
	}
	// The id ensures that two moves of one message leave one copy.
	d.consumer.queue.submit(&e, moveID(&e, d.seq), done)
}

// Return moves the call to the lane in which it may wait: the spill lane of its user, of
// the pool or of this worker alone, or the lane for workers of a kind that it came from.
func (d *Delivery) Return(done func(error)) { d.Move(d.Home(), done) }

// Home returns the lane for [Delivery.Return].
func (d *Delivery) Home() string {
	switch {
	case d.lane.kind:
		return d.lane.name
	case d.lane.home != "":
		return InHome(d.lane.home, SpillLane(d.Call))
	}
	return SpillLane(d.Call)
}

// ack takes the message off the queue immediately: another copy of the call is on it.
func (c *Consumer) ack(d *Delivery) {
	c.say(d.reply, "+ACK")
	if d.drop() {
		c.notifyIdle()
	}
}

// spill moves a call that waits for a slot and is marked as moving. If it cannot be moved
// it continues to wait.
func (d *Delivery) spill(lane string) {
	d.Move(lane, func(err error) {
		if err == nil {
			d.gone()
		} else if !d.stay() {
			d.Retry(0)
			d.gone()
		}
	})
}

// putBack moves a waiting call that is marked as moving to the end of its lane, because
// this worker stops.
func (d *Delivery) putBack() {
	d.Move(d.Lane, func(err error) {
		if err != nil {
			d.Retry(0)
		}
		d.gone()
	})
}

// gone removes a moved call from the waiting ones.
func (d *Delivery) gone() {
	c := d.consumer
	c.mu.Lock()
	c.unwait(d)
	c.leave(d)
	c.topUp()
	c.mu.Unlock()
	c.notifyIdle()
}

// stay lets a call that could not be moved start here, unless this worker stops.
func (d *Delivery) stay() bool {
	c := d.consumer
	c.mu.Lock()
	d.moving = false
	starting, stays := c.fill(), !c.stopped()
	c.topUp()
	c.mu.Unlock()
	c.startAll(starting)
	return stays
}

// keptQuick returns the number of calls of the quick lane that may wait here for a slot.
// More are returned, so that other users' calls in the lane are fetched.
func (c *Consumer) keptQuick() int { return min(64, max(8, c.slots)) }

// surplus returns a call of the quick lane that waits here while the free slots are
// reserved for others, if there are too many. The caller holds mu and returns the call.
func (c *Consumer) surplus() *Delivery {
	for _, l := range c.lanes {
		if !l.quick || len(l.waiting) <= c.keptQuick() {
			continue
		}
		for _, d := range slices.Backward(l.waiting) {
			if !d.moving {
				d.moving = true
				return d
			}
		}
	}
	return nil
}

const (
	// offerSoon is the time after which a call that waits here is offered to workers with
	// free slots, if it was the last one in its lane; offerEvery is the time between later
	// offers, and offerRarely replaces it if more calls wait in the lane, which free
	// workers would take first.
	offerSoon   = 10 * time.Millisecond
	offerEvery  = 250 * time.Millisecond
	offerRarely = 2 * time.Second
)

// due reports whether the calls of l that wait here are to be offered. No other worker
// takes calls of a lane of this worker alone.
func (l *lane) due(now time.Time) bool {
	if len(l.waiting) == 0 || l.home != "" {
		return false
	}
	if l.pending > 0 {
		return now.Sub(l.offered) >= offerRarely && now.Sub(l.waiting[0].taken) >= offerRarely
	}
	last := l.waiting[len(l.waiting)-1]
	return now.Sub(l.offered) >= offerEvery || last.taken.After(l.offered) && now.Sub(last.taken) >= offerSoon
}

// offer moves calls that wait here if another worker waits for calls of their lane. It
// reports whether calls wait.
func (c *Consumer) offer(now time.Time) bool {
	c.mu.Lock()
	waits := map[string][]*Delivery{}
	for _, l := range c.lanes {
		if !l.due(now) {
			continue
		}
		l.offered = now
		for _, d := range l.waiting {
			if !d.moving {
				lane := c.offerTo(d)
				waits[lane] = append(waits[lane], d)
			}
		}
	}
	more := c.waiting > 0
	c.mu.Unlock()
	if len(waits) == 0 || !c.offers.CompareAndSwap(false, true) {
		return more
	}
	c.done.Go(func() { // in a goroutine: the heartbeats must not wait
		defer c.offers.Store(false)
		for lane, calls := range waits {
			c.offerLane(lane, calls)
		}
	})
	return more
}

// offerTo returns the lane from which another worker may take d. A call that waits only
// because no slot is free here stays in the quick lane; a call of a user with enough slots
// here would wait for the reserve elsewhere too. The caller holds mu.
func (c *Consumer) offerTo(d *Delivery) string {
	if d.lane.quick && c.busy >= c.slots {
		return Quick
	}
	return d.Home()
}

func (c *Consumer) offerLane(lane string, calls []*Delivery) {
	ctx, cancel := context.WithTimeout(c.life, restoreTimeout)
	defer cancel()
	info, err := c.queue.laneInfo(ctx, laneToken(c.pool, lane))
	if err != nil {
		c.queue.log.Debug("lane not readable", zap.String("pool", c.pool), zap.String("lane", lane), zap.Error(err))
		return
	}
	if info.NumPending > 0 {
		return
	}
	c.mu.Lock()
	// Requests of this worker would be answered with the call.
	free := info.NumWaiting - c.lane(lane).asked
	var moving []*Delivery
	for _, d := range calls {
		if len(moving) < free && !c.stopped() && c.stuck(d) { // it may have started by now
			d.moving = true
			moving = append(moving, d)
		}
	}
	c.mu.Unlock()
	for _, d := range moving {
		d.spill(lane)
	}
}
