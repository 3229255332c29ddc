package queue

// LaneWaiting is the lane of calls that no live worker can run and whose callers want to
// wait. No worker takes calls of it: a dispatcher moves them once there is a worker.
const LaneWaiting = "waiting"

// WaitingToken returns the name of [LaneWaiting] of a pool in subjects.
func WaitingToken(pool string) string { return laneToken(pool, LaneWaiting) }

// LaneOfKind returns the lane of calls that only workers with a certain list of tools may
// take, by the hash of the list. There are sixteen, because permissions name each; two
// kinds of worker may share a lane, and then move the calls they cannot run to it again.
func LaneOfKind(hash string) string {
	return "k" + hash[:min(1, len(hash))]
}
