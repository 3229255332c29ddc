package queue

import (
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// The following gives tests access to internals of the package.

// GiveUpAcks ends every wait for an acknowledgement as if its time were over.
func (q *Queue) GiveUpAcks() { q.Conn.Replies().Expire(time.Now().Add(time.Hour)) }

// Restore does what a consumer does on a reconnect.
func (c *Consumer) Restore() { c.mend() }

// Waiting returns the number of calls that arrived and have no slot.
func (c *Consumer) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting
}

// Look handles the state of the consumer of the quick lane as of a moment.
func (c *Consumer) Look(s natsio.ConsumerState, at time.Time) { c.askLost(c.lanes[0], s, at) }

// HalfMove does the first half of Move, as if the process ended in the middle.
func (d *Delivery) HalfMove(lane string, done func(error)) { d.publishAgain(lane, done) }

// NoticedWithin returns the longest time after which a deleted or altered consumer of a lane is
// looked at and NATS has answered.
func NoticedWithin() time.Duration { return lanesEvery + natsio.ReadTimeout }
