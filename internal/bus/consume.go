package bus

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/failpoint"
)

// Consumer takes calls of one pool: never more than it has slots, because the
// server's redelivery clock runs from delivery, and a call that waits in a
// buffer here would be given to somebody else.
type Consumer struct {
	bus    *Bus
	pool   string
	slots  int
	handle func(*Delivery)
	onDead func()

	sub    *nats.Subscription
	prefix string
	life   context.Context // until Close
	end    context.CancelFunc
	done   sync.WaitGroup
	mends  atomic.Bool   // restore is at work
	acked  chan struct{} // there is something to acknowledge again

	mu   sync.Mutex
	busy int
	held map[*Delivery]struct{}
	acks []string // reply subjects of calls to acknowledge
	// rests is when acknowledgements were last sent, all but one.
	rests time.Time
	// asked is how many calls the server was asked for and has not sent. It
	// is counted anew, under the next generation, when the server may have
	// forgotten.
	asked      int
	generation uint64
	heard      time.Time
	refused    bool // the server has refused a request of this generation
	draining   bool
	idle       chan struct{}
}

const (
	pullExpires   = 30 * time.Second
	pullHeartbeat = 5 * time.Second
	// pullDeaf is when a server that says nothing is asked again.
	pullDeaf = 3 * pullHeartbeat
	// heartbeats in one AckWait.
	beatsPerWait = 4
)

// Consume starts taking calls of pool. Handle runs on its own goroutine for
// each call and must end with Ack or Retry, and with Release before that.
// OnDead is called for each message that could not be read.
func (b *Bus) Consume(pool string, slots int, handle func(*Delivery), onDead func()) (*Consumer, error) {
	c := &Consumer{
		bus: b, pool: pool, slots: slots, handle: handle, onDead: onDead,
		prefix: b.nc.NewInbox() + ".", acked: make(chan struct{}, 1),
		held: map[*Delivery]struct{}{}, heard: time.Now(),
	}
	sub, err := b.nc.Subscribe(c.prefix+"*", c.receive)
	if err != nil {
		return nil, fmt.Errorf("consume pool %s: %w", pool, err)
	}
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return nil, err
	}
	c.sub = sub
	c.life, c.end = context.WithCancel(context.Background())
	c.done.Add(1)
	go c.tend(b.nc.StatusChanged(nats.CONNECTED))
	c.mu.Lock()
	c.topUp()
	c.mu.Unlock()
	return c, nil
}

// topUp asks for as many calls as there are slots that nobody was asked to
// fill, in few requests. The caller holds mu.
func (c *Consumer) topUp() {
	want := c.slots - c.busy - c.asked
	if c.draining || want <= 0 || (c.asked > 0 && want < (c.slots+3)/4) {
		return
	}
	ask := fmt.Appendf(nil, `{"batch":%d,"expires":%d,"idle_heartbeat":%d}`, want, pullExpires, pullHeartbeat)
	err := c.bus.nc.PublishMsg(&nats.Msg{
		Subject: "$JS.API.CONSUMER.MSG.NEXT." + StreamCalls + "." + c.pool,
		Reply:   c.prefix + strconv.FormatUint(c.generation, 36),
		Data:    ask,
	})
	if err == nil {
		c.asked += want
	}
}

// askAnew forgets what was asked. The caller holds mu.
func (c *Consumer) askAnew() {
	c.generation++
	c.asked, c.refused = 0, false
	c.heard = time.Now()
	c.topUp()
}

// receive handles a call, or a word of the server about a request. A call
// comes under its own subject, a word under that of the request.
func (c *Consumer) receive(msg *nats.Msg) {
	if generation, ok := strings.CutPrefix(msg.Subject, c.prefix); ok {
		c.status(generation, msg)
		return
	}
	lost := failpoint.Hit(failpoint.BusReceive) != nil
	c.mu.Lock()
	c.heard = time.Now()
	c.asked = max(0, c.asked-1)
	if lost || c.draining || c.busy >= c.slots {
		c.mu.Unlock()
		c.nak(msg, 0)
		return
	}
	c.busy++
	c.mu.Unlock()

	d := c.open(msg)
	if d == nil {
		c.release()
		return
	}
	c.mu.Lock()
	if c.draining { // since it was opened: large arguments take a while
		c.mu.Unlock()
		c.nak(msg, 0)
		c.release()
		return
	}
	c.held[d] = struct{}{}
	c.topUp()
	c.mu.Unlock()
	c.bus.crew.Go(func() { c.handle(d) })
}

func (c *Consumer) status(generation string, msg *nats.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != strconv.FormatUint(c.generation, 36) {
		return
	}
	c.heard = time.Now()
	switch status := msg.Header.Get("Status"); status {
	case "100": // a heartbeat: the request is still known
	case "404", "408":
		unfilled, err := strconv.Atoi(msg.Header.Get("Nats-Pending-Messages"))
		if err != nil {
			unfilled = c.asked
		}
		c.asked = max(0, c.asked-unfilled)
		c.topUp()
	default:
		// The consumer is gone or has moved, or has too many requests. Asking
		// at once would be answered alike: the next beat asks anew.
		c.bus.log.Info("pool: will ask again", zap.String("pool", c.pool), zap.String("status", status),
			zap.String("description", msg.Header.Get("Description")))
		c.refused = true
	}
}

func (c *Consumer) release() {
	c.mu.Lock()
	c.busy--
	c.topUp()
	c.mu.Unlock()
	c.notifyIdle()
}

// tend keeps the held calls alive and asks again where the server went silent.
func (c *Consumer) tend(connected <-chan nats.Status) {
	defer c.done.Done()
	beat := time.NewTicker(c.bus.opts.AckWait / beatsPerWait)
	defer beat.Stop()
	ack := time.NewTimer(time.Hour)
	defer ack.Stop()
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
			// What was asked before a reconnect is not known to the server,
			// which may even have come back without its data.
			c.restore()
		case <-beat.C: // whose time is when it was due, which after a stall is long ago
			if deaf := c.beat(time.Now()); deaf {
				c.restore()
			}
		}
	}
}

// restoreTimeout bounds one attempt to set up again what the server lost.
const restoreTimeout = 5 * time.Second

// restore makes sure that streams and consumer are there, and asks anew. The
// server drops a request for a consumer it does not know without a word.
func (c *Consumer) restore() {
	if !c.mends.CompareAndSwap(false, true) {
		return
	}
	c.done.Go(c.mend) // on its own: the heartbeats must not wait
}

func (c *Consumer) mend() {
	defer c.mends.Store(false)
	ctx, cancel := context.WithTimeout(c.life, restoreTimeout)
	defer cancel()
	err := c.bus.prepare(ctx)
	if err == nil {
		err = c.bus.EnsurePool(ctx, c.pool)
	}
	if err != nil {
		c.bus.log.Warn("pool not set up; trying again", zap.String("pool", c.pool), zap.Error(err))
	}
	c.mu.Lock()
	c.askAnew()
	c.mu.Unlock()
}

// beat says that the held calls are still held, and reports whether the server
// has been silent for too long.
func (c *Consumer) beat(now time.Time) (deaf bool) {
	young := now.Add(-c.bus.opts.AckWait / beatsPerWait / 2)
	var replies []string
	c.mu.Lock()
	for d := range c.held {
		if d.taken.Before(young) {
			replies = append(replies, d.reply)
		}
	}
	deaf = now.Sub(c.heard) > pullDeaf
	if c.refused {
		c.askAnew()
	}
	c.mu.Unlock()
	for _, reply := range replies {
		err := failpoint.Hit(failpoint.BusBeat)
		if err == nil {
			err = c.bus.nc.Publish(reply, []byte("+WPI"))
		}
		if err != nil {
			break // the connection is down; what is lost is delivered again
		}
	}
	return deaf
}

// Busy is the number of slots that run a call.
func (c *Consumer) Busy() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}

// Slots is the number of calls this consumer runs at once.
func (c *Consumer) Slots() int { return c.slots }

// Drain takes no more calls, gives back what has not started, and waits until
// every held call is settled or ctx ends.
func (c *Consumer) Drain(ctx context.Context) error {
	c.mu.Lock()
	if !c.draining {
		c.draining = true
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	// The unsubscribe goes out before any call is given back, or the server
	// would hand it to this process again.
	if err := c.sub.Drain(); err != nil {
		c.bus.log.Warn("drain", zap.Error(err))
	}
	c.notifyIdle()
	defer c.flushAcks()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notifyIdle wakes Drain when no call is held or being opened any more.
func (c *Consumer) notifyIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.draining || c.busy > 0 || len(c.held) > 0 {
		return
	}
	select {
	case <-c.idle:
	default:
		close(c.idle)
	}
}

// Close ends the heartbeats. Calls still held are delivered to others once
// their time is over.
func (c *Consumer) Close() {
	c.end()
	c.done.Wait()
	c.flushAcks()
	_ = c.sub.Unsubscribe()
}
