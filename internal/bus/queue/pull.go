package queue

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/streams"
)

// lane is the state of one lane of its pool in a consumer. Its fields are guarded by the
// consumer's lock.
type lane struct {
	name, consumer string
	quick, batch   bool
	// kind is set for a lane for workers of one kind; retired for a lane that this worker
	// no longer requests calls of.
	kind, retired bool
	// home is the quick lane of the only worker that takes calls of this lane; empty for a
	// lane of the pool.
	home string
	// asked is the number of calls that were requested from the server and have not
	// arrived. It restarts at 0 under the next generation, when the server may have
	// forgotten the requests.
	asked      int
	generation uint64
	heard      time.Time
	// since is when the oldest request was sent that may be with the server, sent when the
	// last one was.
	since, sent time.Time
	refused     bool // the server has refused a request of this generation
	// pending is the number of calls that waited in the lane when the last one arrived.
	// While there are some, window, the number of calls requested ahead, is as large.
	pending int
	window  int
	waiting []*Delivery // calls that arrived and have no slot yet
	offered time.Time   // when calls that wait here were last offered to other workers
}

const (
	pullExpires = 30 * time.Second
	// pullBurst is the expiry of requests beyond the base of a lane. They use slots that
	// other lanes may need as soon as this one is empty.
	pullBurst     = time.Second
	pullHeartbeat = 5 * time.Second
	// spillHeartbeats is the factor by which the same times are longer for spill lanes: an
	// idle worker has requests waiting on all of them.
	spillHeartbeats = 2
)

func newLanes(pool string) []*lane {
	var all []*lane
	for _, name := range lanes() {
		all = append(all, newLane(pool, name))
	}
	return all
}

func newLane(pool, name string) *lane {
	return &lane{
		name: name, consumer: laneToken(pool, name), heard: time.Now(),
		quick: name == Quick || name == homeOf(name), batch: strings.HasPrefix(strings.TrimPrefix(name, homeOf(name)), batchMark),
		kind: strings.HasPrefix(name, kindMark), home: homeOf(name),
	}
}

// SetKind makes a consumer take calls of one lane for workers of a kind, in place of the
// earlier one. Calls of the earlier lane that are on their way still arrive.
func (c *Consumer) SetKind(ctx context.Context, name string) error {
	if err := c.queue.ensureLane(ctx, laneToken(c.pool, name)); err != nil {
		return fmt.Errorf("consumer of pool %s: %w", c.pool, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := false
	for _, l := range c.lanes {
		if l.kind {
			l.retired = l.name != name
			known = known || !l.retired
		}
	}
	if !known {
		c.lanes = append(c.lanes, newLane(c.pool, name))
	}
	c.topUp()
	return nil
}

// lane returns the lane of a name, the quick one for an unknown name.
func (c *Consumer) lane(name string) *lane {
	for _, l := range c.lanes {
		if l.name == name {
			return l
		}
	}
	return c.lanes[0]
}

func (l *lane) heartbeat() time.Duration {
	if l.quick {
		return pullHeartbeat
	}
	return pullHeartbeat * spillHeartbeats
}

func (l *lane) unanswered(now time.Time) bool {
	return l.asked > 0 && now.Sub(l.heard) > 3*l.heartbeat()
}

// base returns the number of calls of a lane that are requested besides those for which
// slots are reserved. The quick lane has the reserve. If no slot is free, a call of each
// lane in which calls wait is fetched ahead, so that the next one can be chosen among all
// lanes. The caller holds mu.
func (c *Consumer) base(l *lane) int {
	free := c.slots - c.reserve - c.busy
	if l.quick || l.kind {
		free = c.slots - c.busy
	}
	switch {
	case l.quick && free > 0:
		return min(max(1, c.reserve), free)
	case len(l.waiting) > 0:
		return 0
	case free > 0, l.pending > 0, l.quick && c.waiting > 0:
		return 1
	}
	return 0
}

// topUp requests as many calls as there are slots without a request, in few requests. The
// requests of lanes beyond their base never exceed the slots in total. The caller holds mu.
func (c *Consumer) topUp() {
	if c.stopped() {
		return
	}
	promised, weights := c.busy+c.waiting, 0
	for _, l := range c.lanes {
		promised += max(0, l.asked-c.base(l))
		if l.pending > 0 && !l.quick {
			weights += l.weight()
		}
	}
	for _, l := range c.lanes {
		base := c.base(l)
		l.window = max(l.window, base)
		if l.pending > 0 {
			l.window = max(l.window, base+l.pending)
		}
		total := min(l.window, c.most(l, base, promised, weights))
		want := total - l.asked
		if l.retired || want <= 0 || (l.asked > 0 && want < (total+3)/4) {
			continue
		}
		if l.pending == 0 {
			l.window = max(base, l.window-l.window/8)
		}
		c.ask(l, want, total > base)
		promised += max(0, total-base) - max(0, l.asked-want-base)
	}
}

// most returns the number of calls of a lane that may be requested: the quick lane may fill
// all slots, the others share the slots outside the reserve.
func (c *Consumer) most(l *lane, base, promised, weights int) int {
	if l.quick {
		return max(base, c.slots-promised+max(0, l.asked-base))
	}
	room := max(0, c.slots-c.reserve-promised)
	if l.pending > 0 && weights > 0 {
		room = (room*l.weight() + weights - 1) / weights
	}
	return max(base, l.asked) + room
}

// weight returns the share of a lane in the slots that calls are fetched for.
func (l *lane) weight() int {
	if l.batch {
		return 1
	}
	return interactiveWeight
}

// ask sends one request of a lane. The caller holds mu.
func (c *Consumer) ask(l *lane, calls int, burst bool) {
	request := fmt.Appendf(nil, `{"batch":%d,"expires":%d,"idle_heartbeat":%d}`, calls, pullExpires, l.heartbeat())
	if burst {
		request = fmt.Appendf(nil, `{"batch":%d,"expires":%d}`, calls, pullBurst)
	}
	err := c.queue.conn.NATS().PublishMsg(&nats.Msg{
		Subject: c.queue.conn.API() + "CONSUMER.MSG.NEXT." + streams.Calls + "." + l.consumer,
		Reply:   c.prefix + strconv.Itoa(slices.Index(c.lanes, l)) + "-" + strconv.FormatUint(l.generation, 36),
		Data:    request,
	})
	if err == nil {
		l.sent = time.Now()
		if l.asked == 0 {
			l.heard, l.since = l.sent, l.sent
		}
		l.asked += calls
	}
}

// requestAgain resets the requests of a lane. The caller holds mu and calls topUp.
func (l *lane) requestAgain() {
	l.generation++
	l.asked, l.pending, l.window, l.refused = 0, 0, 0, false
	l.heard = time.Now()
}

// status handles a JetStream status message about a request; token names its lane and
// generation.
func (c *Consumer) status(token string, msg *nats.Msg) {
	index, generation, _ := strings.Cut(token, "-")
	i, err := strconv.Atoi(index)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || i < 0 || i >= len(c.lanes) {
		return
	}
	l := c.lanes[i]
	if generation != strconv.FormatUint(l.generation, 36) {
		return
	}
	l.heard = time.Now()
	switch status := msg.Header.Get("Status"); status {
	case "100": // a heartbeat: the request is still known
	case "404", "408":
		unfilled, err := strconv.Atoi(msg.Header.Get("Nats-Pending-Messages"))
		if err != nil {
			unfilled = l.asked
		}
		l.asked = max(0, l.asked-unfilled)
		l.pending, l.window = 0, l.window/2
		c.topUp()
	default:
		// The consumer was deleted or has moved, or has too many requests. An immediate
		// request would get the same answer: the next heartbeat asks again.
		c.queue.log.Info("pool request refused; asking again", zap.String("consumer", l.consumer), zap.String("status", status),
			zap.String("description", msg.Header.Get("Description")))
		l.refused = true
		if strings.EqualFold(msg.Header.Get("Description"), "Consumer Deleted") {
			select {
			case c.gone <- struct{}{}:
			default:
			}
		}
	}
}
