package queue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Home lanes of a pool: lanes whose calls are taken by one worker only. Each worker to
// which persons are bound has a number, and under it the same kinds of lanes as the pool:
// one quick lane, some for calls that spill, and one for priority batch.
const (
	homeMark = "w"
	// HomeLanes is the number of workers of a pool that can have lanes of their own.
	// Permissions name each lane, so there are no more than an operator needs.
	HomeLanes = 32
	// homeSpill is the number of a worker's lanes for calls that spill.
	homeSpill = 4
	// homeIdle is the time without a request of the worker after which the consumers of
	// its lanes are removed. Its calls stay in the stream until a dispatcher moves them.
	homeIdle = 10 * time.Minute
)

// HomeLane returns the quick lane of the worker with number n.
func HomeLane(n int) string { return homeMark + strconv.Itoa(n) }

// InHome returns the lane of the worker whose quick lane is home for a call that would
// otherwise be in a lane of the pool.
func InHome(home, lane string) string {
	switch {
	case lane == Quick:
		return home
	case strings.HasPrefix(lane, batchMark):
		return home + batchMark
	}
	n, err := strconv.Atoi(lane)
	if err != nil {
		return home // a lane of a worker or of a kind
	}
	return home + "s" + strconv.Itoa(n%homeSpill)
}

// homeOf returns the quick lane of the only worker that takes calls of a lane; empty for a
// lane that several workers may serve.
func homeOf(lane string) string {
	rest, ok := strings.CutPrefix(lane, homeMark)
	if !ok {
		return ""
	}
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	if n == 0 { // LaneWaiting
		return ""
	}
	return homeMark + rest[:n]
}

// homeLanes returns the lanes of a worker, the quick one first.
func homeLanes(home string) []string {
	all := []string{home}
	for i := range homeSpill {
		all = append(all, InHome(home, strconv.Itoa(i)))
	}
	return append(all, InHome(home, batchMark))
}

// IsKind reports whether a lane is for workers of one kind.
func IsKind(lane string) bool { return strings.HasPrefix(lane, kindMark) }

// IsHome reports whether the calls of a lane are taken by one worker only.
func IsHome(lane string) bool { return homeOf(lane) != "" }

// HomeConsumers returns the names of the consumers that the workers of a pool may have for
// lanes of their own.
func HomeConsumers(pool string) []string {
	var names []string
	for n := range HomeLanes {
		for _, lane := range homeLanes(HomeLane(n)) {
			names = append(names, laneToken(pool, lane))
		}
	}
	return names
}

// SetHome makes a consumer take calls of the lanes of the worker whose quick lane is home,
// in place of its earlier lanes.
func (c *Consumer) SetHome(ctx context.Context, home string) error {
	for _, name := range homeLanes(home) {
		if err := c.queue.ensureLane(ctx, laneToken(c.pool, name)); err != nil {
			return fmt.Errorf("consumer of pool %s: %w", c.pool, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := false
	for _, l := range c.lanes {
		if l.home != "" {
			l.retired = l.home != home
			known = known || !l.retired
		}
	}
	for _, name := range homeLanes(home) {
		if !known {
			c.lanes = append(c.lanes, newLane(c.pool, name))
		}
	}
	c.topUp()
	return nil
}

// ServesHome reports whether a worker whose quick lane is home takes the calls of a lane.
func ServesHome(home, lane string) bool { return home != "" && homeOf(lane) == home }
