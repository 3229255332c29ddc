package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// The following gives tests access to internals of the package.

// GiveUpAcks ends every wait for an acknowledgement as if its time were over.
func (q *Queue) GiveUpAcks() { q.Conn.Replies().Expire(time.Now().Add(time.Hour)) }

// Restore does what a consumer does on a reconnect.
func (c *Consumer) Restore() { c.mend() }

// Stall sets the time of the last answer of JetStream to that long ago.
func (q *Queue) Stall(ago time.Duration) { q.Conn.Responded(time.Now().Add(-ago)) }

// LookForRoom checks the streams now.
func (q *Queue) LookForRoom() { q.room.look() }

// ProbeLater tries silent streams as if the longest pause were over.
func (q *Queue) ProbeLater() { q.room.probe(time.Now().Add(2 * muteMost)) }

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

// Upkeep returns whether each stream is made again while processes run.
func Upkeep() map[string]bool {
	all := map[string]bool{}
	for name, row := range upkeepOf() {
		all[name] = row.remake
	}
	return all
}

// TopologyNames returns the names of all streams.
func (q *Queue) TopologyNames() (names []string) {
	for _, s := range q.topology() {
		names = append(names, s.Name)
	}
	return names
}

// Old makes every stream count as older than those of a new server.
func (q *Queue) Old() { q.keeper.fresh = -1 }

// NoticedWithin returns the longest times after which a deleted or altered stream, and a
// consumer of a lane, are looked at and NATS has answered.
func NoticedWithin() (stream, consumer time.Duration) {
	return keepRests*max(keepEvery, keepWithin) + keepWithin, lanesEvery + natsio.ReadTimeout
}

// LookAfter looks at all streams now.
func (q *Queue) LookAfter() { q.keeper.look(true) }

// Grow raises the bounds of streams if there is room.
func (q *Queue) Grow(ctx context.Context) error { return q.plan(ctx, true) }

// PlanFor returns the bounds that streams get on servers with so much storage.
func PlanFor(storage int64, o Options) string {
	all := withDefaults(o).demands()
	steps := rungs(needed(all))
	at, _ := highest(steps, -1, func(size int64) (bool, error) { return size <= storage, nil })
	bytes, _ := divide(steps[at], all)
	var text []string
	for _, s := range portions() {
		text = append(text, fmt.Sprintf("%s %d", s.stream, bytes[s.stream]))
	}
	return strings.Join(text, ", ")
}
