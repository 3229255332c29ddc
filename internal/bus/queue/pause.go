package queue

import "go.uber.org/zap"

// Load is the work of a consumer.
type Load struct {
	// Busy is the number of slots that run a call, Started the number of calls that got a
	// slot since the consumer was made.
	Busy    int
	Started uint64
	Paused  bool
	// Ended counts the calls of the pool that ended at the worker; the worker adds it.
	Ended EndedCalls
	// OpenCircuits is the number of servers outside that keep failing, and RulesRefused is
	// set if the last change of the policy rules was refused, at the worker; it adds them.
	OpenCircuits int
	RulesRefused bool
	// Calls names the calls of the pool that the worker runs; it adds them.
	Calls []string
}

// EndedCalls counts calls that ended at a worker since it started.
type EndedCalls struct {
	Succeeded uint64 `json:"ok,omitempty"`
	Failed    uint64 `json:"failed,omitempty"`
	// Times are the times from accepting to the end, as package latency counts them.
	Times []uint64 `json:"times,omitempty"`
}

// Load returns the present work of the consumer.
func (c *Consumer) Load() Load {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Load{Busy: c.busy, Started: c.started, Paused: c.paused}
}

// Pause takes no further calls until [Consumer.Resume]. Calls that wait here for a slot
// return to the queue; those that run go on, with their heartbeats.
func (c *Consumer) Pause() {
	c.mu.Lock()
	was := c.paused
	c.paused = true
	c.mu.Unlock()
	if !was {
		c.returnWaiting()
	}
}

// Resume takes calls again after [Consumer.Pause].
func (c *Consumer) Resume() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.paused || c.draining {
		return nil
	}
	if err := c.subscribe(); err != nil {
		return err
	}
	c.paused = false
	for _, l := range c.lanes {
		l.requestAgain()
	}
	c.topUp()
	return nil
}

// stopped reports whether the consumer starts no calls. The caller holds mu.
func (c *Consumer) stopped() bool { return c.draining || c.paused }

// returnWaiting ends the subscriptions and returns the calls that wait for a slot to the
// queue. The consumer is stopped.
func (c *Consumer) returnWaiting() {
	c.mu.Lock()
	subs := c.unsubscribe()
	var back []*Delivery
	for _, l := range c.lanes {
		l.requestAgain() // the server drops requests without a subscription
		for _, d := range l.waiting {
			if !d.moving {
				d.moving = true
				back = append(back, d)
			}
		}
	}
	c.mu.Unlock()
	// The unsubscribe is sent before any call is returned, or the server would deliver it
	// to this process again.
	for _, sub := range subs {
		if err := sub.Drain(); err != nil {
			c.queue.log.Warn("subscription drain failed", zap.Error(err))
		}
	}
	for _, d := range back {
		d.putBack()
	}
}
