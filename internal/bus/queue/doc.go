// Package queue carries calls to workers and their results back over NATS: subjects, lanes,
// deliveries, results. Package streams has the streams that it writes to. Around it are packages
// events (the steps of calls), peer (requests between processes that store nothing), timers,
// callbacks, inspect (what waits) and deadletters.
//
// # The path of a call
//
//	dispatcher  Accept: once-only record of the call_id, then the call onto the work queue
//	worker      Consume: as many calls as it has free slots, each kept alive by heartbeats
//	worker      Fence: once-only record, directly before a tool with side effects acts
//	worker      Finish: result stored once, then the ack
//	server      Republish: the stored result, to the dispatcher that waits
//	dispatcher  Expect: the answer arrives on the one wildcard subscription of this process
//
// # What it promises
//
// Accepted means acknowledged by JetStream: such a call ends in exactly one stored result
// through any number of process crashes, and its answer is that result: the server
// republishes stored results, with replicas after the quorum, and dispatchers receive no
// others. A tool with side effects starts at most once for a call. In doubt the result is
// outcome_unknown. The fence and the stored result decide; acknowledgements and the
// server's duplicate window only save work, because a stale worker's late ack removes a
// message that another worker already holds.
//
// While the message store has no room for records or results, a process accepts and runs no
// calls (package streams). An acceptance whose call found no room in the queue is taken back.
//
// # What it does not promise
//
// Exactly-once effects; order between calls; that the tool of an idempotent call runs only once;
// anything past the streams' retention. With the profile "process" an acknowledgement survives
// killed processes, not a power cut: that needs "power", a server that syncs every write.
package queue
