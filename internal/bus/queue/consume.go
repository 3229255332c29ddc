package queue

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// Consumer takes calls from all lanes of one pool and runs as many concurrently as it has
// slots. It fetches few calls ahead, because a call that waits here could run on another
// worker; schedule.go chooses among them.
type Consumer struct {
	queue  *core
	pool   string
	slots  int
	handle func(*Delivery)
	onDead func()
	// reserve is the number of slots reserved for calls of the quick lane.
	reserve int

	sub    *nats.Subscription
	direct *nats.Subscription // to direct calls; nil if there are none
	prefix string
	life   context.Context // until Close
	stop   context.CancelFunc
	done   sync.WaitGroup
	mends  atomic.Bool   // restore is running
	offers atomic.Bool   // offer is running
	checks atomic.Bool   // checkLanes is running
	gone   chan struct{} // the server reported that a consumer was deleted
	acked  chan struct{} // there are new acknowledgements to send
	waits  chan struct{} // a call has begun to wait for a slot

	mu    sync.Mutex
	lanes []*lane
	busy  int
	// opening is the number of calls that are being read, waiting the number that arrived
	// and have no slot.
	opening, waiting int
	held             map[*Delivery]struct{}
	shares           shares
	interactive      int      // calls started since the last one of priority batch
	acks             []string // reply subjects of calls to acknowledge
	// rests is the time at which acknowledgements were last sent, except the last one.
	rests    time.Time
	draining bool
	paused   bool
	started  uint64 // calls that got a slot
	idle     chan struct{}
}

// Consume starts taking calls of pool. Handle runs on its own goroutine for each call and
// must end with Ack, Retry, Leave or Move, and with Release before that. OnDead is called
// for each message that could not be read.
func (b *Calls) Consume(pool string, slots int, handle func(*Delivery), onDead func()) (*Consumer, error) {
	c := b.ConsumePaused(pool, slots, handle, onDead)
	if err := c.Resume(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// ConsumePaused is Consume of a consumer that takes no calls until [Consumer.Resume].
func (b *Calls) ConsumePaused(pool string, slots int, handle func(*Delivery), onDead func()) *Consumer {
	c := &Consumer{
		queue: b.core, pool: pool, slots: slots, reserve: reserveOf(slots), handle: handle, onDead: onDead, paused: true,
		acked: make(chan struct{}, 1), gone: make(chan struct{}, 1), waits: make(chan struct{}, 1), lanes: newLanes(pool),
		held: map[*Delivery]struct{}{}, shares: shares{all: map[sharer]*share{}, weights: b.opts.Weights},
	}
	c.life, c.stop = context.WithCancel(context.Background())
	c.done.Add(1)
	go c.tend(b.conn.NATS().StatusChanged(nats.CONNECTED))
	return c
}

// subscribe makes the subscriptions to calls. Each time they have another inbox, because
// the server may still answer requests of an earlier one. The caller holds mu.
func (c *Consumer) subscribe() error {
	nc := c.queue.conn.NATS()
	prefix := nc.NewInbox() + "."
	sub, err := nc.Subscribe(prefix+"*", func(msg *nats.Msg) { c.receive(prefix, msg) })
	if err != nil {
		return fmt.Errorf("consume pool %s: %w", c.pool, err)
	}
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return err
	}
	c.prefix, c.sub = prefix, sub
	if c.queue.conn.Apart() { // accounts of their own get no direct calls
		return nil
	}
	if c.direct, err = nc.QueueSubscribe(c.queue.subj.Of("*", "direct", c.pool, ">"), QueueDirect, c.receiveDirect); err != nil {
		return fmt.Errorf("direct calls of pool %s: %w", c.pool, err)
	}
	return c.direct.SetPendingLimits(-1, -1)
}

// unsubscribe forgets the subscriptions and returns them. The caller holds mu.
func (c *Consumer) unsubscribe() (subs []*nats.Subscription) {
	for _, sub := range []*nats.Subscription{c.direct, c.sub} {
		if sub != nil {
			subs = append(subs, sub)
		}
	}
	c.direct, c.sub = nil, nil
	return subs
}

// receive handles a delivered call or a JetStream status message about a request. A call
// comes under its own subject, a status message under that of the request.
func (c *Consumer) receive(prefix string, msg *nats.Msg) {
	if token, ok := strings.CutPrefix(msg.Subject, prefix); ok {
		c.status(token, msg)
		return
	}
	lost := failpoint.Hit(failpoint.QueueReceive) != nil
	meta, err := msg.Metadata()
	if err != nil {
		return // not sent by a consumer, so no process waits for an answer
	}
	_, name := CutLane(meta.Consumer)
	c.mu.Lock()
	l := c.lane(name)
	l.heard = time.Now()
	l.asked, l.pending = max(0, l.asked-1), int(meta.NumPending)
	if lost || c.stopped() {
		c.mu.Unlock()
		c.nak(msg, 0)
		return
	}
	c.opening++
	c.mu.Unlock()
	c.startOrKeep(c.open(msg, meta, l))
}

// startOrKeep starts a call that was read, or keeps it until a slot is free. Nil is a call that
// could not be read.
func (c *Consumer) startOrKeep(d *Delivery) {
	c.mu.Lock()
	c.opening--
	if d == nil {
		c.topUp()
		c.mu.Unlock()
		c.notifyIdle()
		return
	}
	c.held[d] = struct{}{}
	c.enter(d)
	if c.stopped() { // while it was opened: large arguments take a while
		c.wait(d)
		d.moving = true
		c.mu.Unlock()
		d.putBack()
		return
	}
	if c.free(d) {
		c.begin(d)
		c.topUp()
		c.mu.Unlock()
		c.start(d)
		return
	}
	c.wait(d)
	surplus := c.surplus()
	c.topUp()
	c.mu.Unlock()
	if surplus != nil {
		surplus.spill(surplus.Home())
	}
}

func (c *Consumer) start(d *Delivery) { c.queue.conn.Go(func() { c.handle(d) }) }

// release frees the slot of d and assigns it to the next call.
func (c *Consumer) release(d *Delivery) {
	c.mu.Lock()
	c.end(d)
	next := c.fill()
	c.topUp()
	c.mu.Unlock()
	c.startAll(next)
	c.notifyIdle()
}

// fill gives free slots to waiting calls. The caller holds mu and starts them.
func (c *Consumer) fill() (starting []*Delivery) {
	for !c.stopped() {
		d := c.next()
		if d == nil {
			break
		}
		c.begin(d)
		starting = append(starting, d)
	}
	return starting
}

func (c *Consumer) startAll(calls []*Delivery) {
	for _, d := range calls {
		c.start(d)
	}
}

// Busy returns the number of slots that run a call.
func (c *Consumer) Busy() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}

// Slots returns the number of calls this consumer runs concurrently.
func (c *Consumer) Slots() int { return c.slots }

// Drain takes no further calls, returns the calls that have not started to the queue, and
// waits until every held call is settled or ctx ends.
func (c *Consumer) Drain(ctx context.Context) error {
	c.mu.Lock()
	if !c.draining {
		c.draining = true
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	c.returnWaiting()
	c.notifyIdle()
	defer c.flushAcks()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notifyIdle wakes Drain when no call is held or being opened any longer.
func (c *Consumer) notifyIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.draining || c.busy > 0 || c.opening > 0 || len(c.held) > 0 {
		return
	}
	select {
	case <-c.idle:
	default:
		close(c.idle)
	}
}

// Close ends the heartbeats. Calls still held are delivered to others after AckWait.
func (c *Consumer) Close() {
	c.stop()
	c.done.Wait()
	c.flushAcks()
	c.mu.Lock()
	subs := c.unsubscribe()
	c.mu.Unlock()
	for _, sub := range subs {
		_ = sub.Unsubscribe()
	}
}
