package queue

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// beatsPerWait is the number of heartbeats in one AckWait.
const beatsPerWait = 4

// tend sends the heartbeats of the held calls, repeats requests that the server does not
// answer, and offers calls that wait here to free workers.
func (c *Consumer) tend(connected <-chan nats.Status) {
	defer c.done.Done()
	beat := time.NewTicker(c.queue.opts.AckWait / beatsPerWait)
	defer beat.Stop()
	offer := time.NewTimer(time.Hour)
	defer offer.Stop()
	ack := time.NewTimer(time.Hour)
	defer ack.Stop()
	check := time.NewTicker(lanesEvery)
	defer check.Stop()
	for {
		select {
		case <-c.life.Done():
			return
		case <-c.acked:
			ack.Reset(ackEvery)
		case now := <-ack.C:
			if again := c.sendAcks(now); again > 0 {
				ack.Reset(again)
			}
		case <-connected:
			// The server does not know requests from before a reconnect, and may even have
			// lost its data.
			c.restore()
		case <-beat.C: // its time is when it was due, which after a stall is long ago
			if deaf := c.beat(time.Now()); deaf {
				c.restore()
			}
		case <-check.C:
			c.checkLanes()
		case <-c.gone:
			c.restore()
		case <-c.waits:
			offer.Reset(offerSoon)
		case <-offer.C:
			if c.offer(time.Now()) {
				offer.Reset(offerEvery)
			}
		}
	}
}

// restoreTimeout bounds one attempt to set up again what the server lost.
const restoreTimeout = 5 * time.Second

// restore ensures that streams and consumers exist, and repeats the requests. The server
// drops a request for a consumer it does not know without an answer.
func (c *Consumer) restore() {
	if !c.mends.CompareAndSwap(false, true) {
		return
	}
	c.done.Go(c.mend) // in a goroutine: the heartbeats must not wait
}

func (c *Consumer) mend() {
	defer c.mends.Store(false)
	ctx, cancel := context.WithTimeout(c.life, restoreTimeout)
	defer cancel()
	err := c.queue.store.Restore(ctx)
	if err == nil {
		err = c.queue.ensurePool(ctx, c.pool)
	}
	for _, lane := range c.own() {
		if err == nil {
			err = c.queue.ensureLane(ctx, lane)
		}
	}
	if err != nil {
		c.queue.log.Warn("pool not set up; trying again", zap.String("pool", c.pool), zap.Error(err))
	}
	c.mu.Lock()
	for _, l := range c.lanes {
		l.requestAgain()
	}
	c.topUp()
	c.mu.Unlock()
}

// own returns the consumers of lanes that not every worker of the pool serves.
func (c *Consumer) own() (consumers []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lanes {
		if (l.kind || l.home != "") && !l.retired {
			consumers = append(consumers, l.consumer)
		}
	}
	return consumers
}

// beat sends the heartbeats of the held calls, and reports whether the server has been
// silent for too long.
func (c *Consumer) beat(now time.Time) (deaf bool) {
	young := now.Add(-c.queue.opts.AckWait / beatsPerWait / 2)
	var replies []string
	c.mu.Lock()
	for d := range c.held {
		if d.taken.Before(young) && !d.direct {
			replies = append(replies, d.reply)
		}
	}
	for _, l := range c.lanes {
		deaf = deaf || l.unanswered(now)
		if l.refused {
			l.requestAgain()
		}
	}
	c.topUp()
	c.mu.Unlock()
	for _, reply := range replies {
		err := failpoint.Hit(failpoint.QueueBeat)
		if err == nil {
			err = c.queue.conn.NATS().Publish(reply, []byte("+WPI"))
		}
		if err != nil {
			break // the connection is down; the calls are delivered again
		}
	}
	return deaf
}
