// Package bus is everything Helve does with NATS: subjects, envelopes, streams,
// the way of a call to a worker and of its result back.
//
// # The way of a call
//
//	dispatcher  Accept: once-only record of the call_id, then the call onto the work queue
//	worker      Consume: as many calls as it has free slots, each kept alive by heartbeats
//	worker      Fence: once-only record, directly before a tool with side effects acts
//	worker      Finish: result published once (stored, and seen by the dispatcher that waits), then the ack
//	dispatcher  Wait: the result arrives on the one wildcard subscription of this process
//
// # What it promises
//
// Accepted means acknowledged by JetStream: such a call ends in exactly one
// stored result through any number of process crashes, and a tool with side
// effects starts at most once for it. In doubt the result is outcome_unknown.
// The fence and the stored result are the truth; acknowledgements and the
// server's duplicate window only save work, because a stale worker's late ack
// removes a message that another worker already holds.
//
// # What it does not promise
//
// A result is one publish, which the waiting dispatcher sees while the stream
// stores it. If the broker and the worker die in that very moment the caller may
// have seen a result that the stored one later differs from.
//
// Exactly-once effects; order between calls; delivery of events; that the tool
// of an idempotent call runs only once; anything past the streams' retention.
// With the profile "process" an acknowledgement survives killed processes, not
// a power cut: that needs "power", a server that syncs always.
package bus
