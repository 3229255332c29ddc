package queue

import (
	"maps"
	"slices"

	"github.com/helve-dev/helve/protocol"
)

// interactiveWeight is the number of interactive calls that start for each call of priority
// batch while both wait.
const interactiveWeight = 8

// share is the part of the slots here that a tenant, or a user of one, has.
type share struct {
	running int
	// batch is the number of those that run with priority batch.
	batch int
	// waiting is the number of calls that arrived and have no slot yet.
	waiting int
	// served grows with each start, by the inverse of the weight: with equal slots, the lower
	// value is next. Users is the value of served of the user that
	// was chosen last in the tenant.
	served, users float64
}

// shares holds the tenants and users that have calls here, users by tenant and user,
// tenants by the tenant alone.
type shares struct {
	all     map[sharer]*share
	weights map[string]int
	// served is the value of served of the tenant that was chosen last.
	served float64
}

type sharer struct {
	tenant, user string
	isUser       bool
}

// keptShares is the number of shares without calls that are kept.
const keptShares = 4096

// of returns a share. A share without calls gets the served value of the others, since, so
// that idle time earns no advantage.
func (s *shares) of(k sharer, since float64) *share {
	a := s.all[k]
	if a == nil {
		if len(s.all) >= keptShares {
			maps.DeleteFunc(s.all, func(_ sharer, a *share) bool { return a.idle() })
		}
		a = new(share)
		s.all[k] = a
	}
	if a.idle() {
		a.served = max(a.served, since)
	}
	return a
}

func (a *share) idle() bool { return a.running == 0 && a.waiting == 0 }

func (s *shares) weight(tenant string) float64 {
	if w := s.weights[tenant]; w > 0 {
		return float64(w)
	}
	return 1
}

// reserveOf returns the reserve of a worker: an eighth of its slots, from 1 to 8, if it has
// 4 or more. It is for calls that did not spill and whose user has hardly any slot, so that
// such a call starts though long calls of others, or calls of priority batch of the same user,
// fill the rest. The last quarter of the reserve is not for a tenant that has all other slots.
func reserveOf(slots int) int {
	const least, most = 4, 8 // the minimum number of slots for a reserve, and the largest reserve
	if slots < least {
		return 0
	}
	return min(max(slots/8, 1), most)
}

// free reports whether d may have a slot now: a call of priority batch never the last one, if
// the worker has several. The caller holds mu.
func (c *Consumer) free(d *Delivery) bool {
	switch batch := d.Priority == protocol.PriorityBatch; {
	case c.busy >= c.slots, batch && c.busy > 0 && c.busy == c.slots-1:
		return false
	case c.busy < c.slots-c.reserve:
		return true
	case !d.lane.quick && !d.lane.kind, batch:
		return false
	}
	return d.user.running-d.user.batch < max(1, c.reserve/8) && d.tenant.running < c.slots-c.reserve/4
}

// enter counts a call that arrived. The caller holds mu.
func (c *Consumer) enter(d *Delivery) {
	d.tenant = c.shares.of(sharer{tenant: d.Tenant}, c.shares.served)
	d.user = c.shares.of(sharer{d.Tenant, d.User, true}, d.tenant.users)
	d.tenant.waiting++
	d.user.waiting++
}

// leave reverses enter for a call that does not start here. The caller holds mu.
func (c *Consumer) leave(d *Delivery) {
	d.tenant.waiting--
	d.user.waiting--
}

// begin gives d a slot. The caller holds mu.
func (c *Consumer) begin(d *Delivery) {
	c.busy++
	c.started++
	c.shares.served = max(c.shares.served, d.tenant.served)
	d.tenant.users = max(d.tenant.users, d.user.served)
	d.tenant.served += 1 / c.shares.weight(d.Tenant)
	d.user.served++
	d.tenant.waiting--
	d.user.waiting--
	d.tenant.running++
	d.user.running++
	if d.Priority == protocol.PriorityBatch {
		d.tenant.batch++
		d.user.batch++
		c.interactive = 0
	} else {
		c.interactive++
	}
}

// end frees the slot of d. The caller holds mu.
func (c *Consumer) end(d *Delivery) {
	c.busy--
	d.tenant.running--
	d.user.running--
	if d.Priority == protocol.PriorityBatch {
		d.tenant.batch--
		d.user.batch--
	}
}

// next removes the call to start now from the waiting ones, nil if there is none. The
// caller holds mu.
func (c *Consumer) next() *Delivery {
	if c.waiting == 0 || c.busy >= c.slots {
		return nil
	}
	var best *Delivery
	for _, l := range c.lanes {
		for _, d := range l.waiting {
			if !d.moving && c.free(d) && (best == nil || c.before(d, best)) {
				best = d
			}
		}
	}
	if best != nil {
		c.unwait(best)
	}
	return best
}

// before reports whether a is to start before b: by priority, then the call of the
// tenant with the fewest slots for its weight, then of the user with the fewest.
func (c *Consumer) before(a, b *Delivery) bool {
	if x, y := a.Priority == protocol.PriorityBatch, b.Priority == protocol.PriorityBatch; x != y {
		return y == (c.interactive < interactiveWeight)
	}
	if a.tenant != b.tenant {
		x, y := float64(a.tenant.running)/c.shares.weight(a.Tenant), float64(b.tenant.running)/c.shares.weight(b.Tenant)
		if x != y {
			return x < y
		}
		return a.tenant.served < b.tenant.served
	}
	if a.user != b.user {
		if a.user.running != b.user.running {
			return a.user.running < b.user.running
		}
		if a.user.served != b.user.served {
			return a.user.served < b.user.served
		}
	}
	return a.taken.Before(b.taken)
}

// wait keeps a call until a slot is free for it. The caller holds mu.
func (c *Consumer) wait(d *Delivery) {
	d.lane.waiting = append(d.lane.waiting, d)
	c.waiting++
	c.wake(c.waits)
}

// unwait removes a call from the waiting ones. The caller holds mu.
func (c *Consumer) unwait(d *Delivery) {
	if i := slices.Index(d.lane.waiting, d); i >= 0 {
		d.lane.waiting = slices.Delete(d.lane.waiting, i, i+1)
		c.waiting--
	}
}

// stuck reports whether d waits for a slot and is not being moved. The caller holds mu.
func (c *Consumer) stuck(d *Delivery) bool {
	return !d.moving && slices.Contains(d.lane.waiting, d)
}
