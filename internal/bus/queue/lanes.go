package queue

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// Lanes of a pool. A person's calls go
// there while few of them are unanswered; the others go to one of the spill lanes, so that
// a backlog never delays another person's call. Calls of priority batch have lanes of their
// own.
const (
	// Quick is the name of the quick lane.
	Quick = ""
	// spillLanes and batchLanes are the numbers of lanes for the other calls. Each lane is
	// a consumer for each pool.
	spillLanes, batchLanes = 8, 4
	// laneMark separates a pool and a lane; no name of a pool contains it.
	laneMark  = "~"
	batchMark = "b"
	kindMark  = "k"
	// kindLanes is the number of lanes for workers of different kinds, each for calls whose
	// tools not every worker of the pool has. They have a consumer once a worker of their
	// kind was connected.
	kindLanes = 16
)

// KindLane returns the n-th lane for workers of a kind.
func KindLane(n uint64) string { return kindMark + strconv.FormatUint(n%kindLanes, 16) }

// lanes returns the names of the lanes that every worker of a pool serves, the quick one
// first.
func lanes() []string {
	all := make([]string, 0, 1+spillLanes+batchLanes)
	all = append(all, Quick)
	for i := range spillLanes {
		all = append(all, strconv.Itoa(i))
	}
	for i := range batchLanes {
		all = append(all, batchMark+strconv.Itoa(i))
	}
	return all
}

// LanesOf returns the two lanes that the calls of a person may be spilled to. They differ,
// so that two persons with a backlog rarely share both lanes.
func LanesOf(tenant, user, priority string) (first, second string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(tenant + "/" + user))
	// The hashes of names that differ in the last letter differ in few bits.
	sum := h.Sum64()
	sum = (sum ^ sum>>33) * 0xff51afd7ed558ccd
	sum ^= sum >> 33
	n, mark := uint64(spillLanes), ""
	if priority == protocol.PriorityBatch {
		n, mark = batchLanes, batchMark
	}
	a := (sum >> 32) % n
	b := (a + 1 + (sum&0xffffffff)%(n-1)) % n
	return mark + strconv.FormatUint(a, 10), mark + strconv.FormatUint(b, 10)
}

// SpillLane returns the lane of a call that is not to be in the quick lane.
func SpillLane(e *call.Call) string {
	lane, _ := LanesOf(e.Tenant, e.User, e.Priority)
	return lane
}

// laneToken returns the name of a lane of a pool in subjects and consumers.
func laneToken(pool, lane string) string {
	if lane == Quick {
		return pool
	}
	return pool + laneMark + lane
}

// CutLane splits the token of a subject or the name of a consumer.
func CutLane(token string) (pool, lane string) {
	pool, lane, _ = strings.Cut(token, laneMark)
	return pool, lane
}

// LaneConsumers returns the names of the consumers that a pool may have: one for each lane.
func LaneConsumers(pool string) []string {
	names := lanes()
	for i := range kindLanes {
		names = append(names, KindLane(uint64(i)))
	}
	for i, lane := range names {
		names[i] = laneToken(pool, lane)
	}
	return names
}
