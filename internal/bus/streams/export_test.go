package streams

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// The following gives tests access to internals of the package.

// Stall sets the time of the last answer of JetStream to that long ago.
func (b *Store) Stall(ago time.Duration) { b.Conn.Responded(time.Now().Add(-ago)) }

// LookForRoom checks the streams now.
func (b *Store) LookForRoom() { b.room.look() }

// ProbeLater tries silent streams as if the longest pause were over.
func (b *Store) ProbeLater() { b.room.probe(time.Now().Add(2 * muteMost)) }

// Upkeep returns whether each stream is made again while processes run.
func Upkeep() map[string]bool {
	all := map[string]bool{}
	for name, row := range upkeepOf() {
		all[name] = row.remake
	}
	return all
}

// TopologyNames returns the names of all streams.
func (b *Store) TopologyNames() (names []string) {
	for _, s := range b.topology() {
		names = append(names, s.Name)
	}
	return names
}

// Old makes every stream count as older than those of a new server.
func (b *Store) Old() { b.keeper.fresh = -1 }

// NoticedWithin returns the longest time after which a deleted or altered stream is looked at
// and NATS has answered.
func NoticedWithin() time.Duration { return keepRests*max(keepEvery, keepWithin) + keepWithin }

// LookAfter looks at all streams now.
func (b *Store) LookAfter() { b.keeper.look(true) }

// Grow raises the bounds of streams if there is room.
func (b *Store) Grow(ctx context.Context) error { return b.plan(ctx, true) }

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
