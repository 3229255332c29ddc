package queue

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// lanesEvery is the pause between two comparisons of the consumers of a pool's lanes with
// their settings.
const lanesEvery = 2 * time.Second

// checkLanes compares the consumers of the lanes with their settings, changes altered ones
// back and makes missing ones again. Neither loses a call: calls are in the stream. A process
// apart may not read consumers; the server's answers to its requests show a missing one.
func (c *Consumer) checkLanes() {
	if c.queue.conn.Apart() || !c.queue.conn.Connected() || !c.checks.CompareAndSwap(false, true) {
		return
	}
	c.done.Go(func() {
		defer c.checks.Store(false)
		ctx, cancel := context.WithTimeout(c.life, restoreTimeout)
		defer cancel()
		var all sync.WaitGroup
		for _, l := range c.inUse() {
			all.Go(func() { c.checkLane(ctx, l) })
		}
		all.Wait()
	})
}

// inUse returns the lanes that are not retired.
func (c *Consumer) inUse() (all []*lane) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lanes {
		if !l.retired {
			all = append(all, l)
		}
	}
	return all
}

func (c *Consumer) checkLane(ctx context.Context, l *lane) {
	name := streams.Calls + "/" + l.consumer
	looked := time.Now()
	state, err := natsio.Topology{Conn: c.queue.conn}.ConsumerState(ctx, streams.Calls, c.queue.laneConsumer(l.consumer))
	problem := state.Problem
	if err == nil && problem == "" {
		c.queue.store.Note(name, "", false)
		c.askLost(l, state, looked)
		return
	}
	if err != nil && !errors.Is(err, natsio.ErrNoStream) {
		return // the server is away, or starts; the check of the streams reports that
	}
	if err == nil {
		err = c.queue.ensureLane(ctx, l.consumer)
	} else if err = c.queue.store.Restore(ctx); err == nil {
		err = c.queue.ensureLane(ctx, l.consumer)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		c.queue.store.Note(name,
			"is not as it must be ("+problem+") and cannot be changed back: "+strings.TrimSpace(err.Error())+
				"; delete this consumer, then a worker makes it again",
			false)
		return
	}
	c.queue.log.Error("consumer of a lane was altered or deleted, made again",
		zap.String("consumer", l.consumer), zap.String("problem", problem))
	c.queue.store.Note(name, "", true)
	c.mu.Lock()
	l.requestAgain()
	c.topUp()
	c.mu.Unlock()
}

// lostAfter is the age at which a request of this worker must be known to the server.
const lostAfter = time.Second

// askLost repeats the requests of a lane that the server does not know: it knows none at
// all, or its present leader was elected after they were sent. Without that a worker would
// notice only by the missing heartbeats, after 15 s, and again after each election.
func (c *Consumer) askLost(l *lane, state natsio.ConsumerState, looked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	unknown := state.Waiting == 0 && looked.Sub(l.sent) > lostAfter
	before := state.Led > 0 && looked.Sub(l.since) > state.Led
	if l.asked == 0 || !unknown && !before {
		return
	}
	c.queue.log.Info("pool requests lost; asking again", zap.String("consumer", l.consumer), zap.Int("requested", l.asked),
		zap.Int("known", state.Waiting), zap.Duration("led", state.Led))
	l.requestAgain()
	c.topUp()
}
