// Package execution is the life of one delivery on a worker: from the moment it takes a
// slot until the queue has it back, or no longer needs it.
//
// The queue, the stores and the other workers are interfaces of this package
// (interfaces.go), so it runs and is tested without NATS.
//
// # What it promises
//
//   - Each delivery has exactly one end, reached in one function (end.go), which frees its
//     slot once.
//   - A call leaves the queue (stored, settled) only after its result and its final record
//     are durable, in one message, or after it was parked.
//   - A call with side effects that cannot be repeated runs at most once, and a call that is
//     said to have done nothing (cancelled, refused, given up) is never started afterwards:
//     the fence, written once, decides between the two.
//   - The result of a call is the first one stored. A worker whose result came second drops
//     it with its record. The server does not compare results in groups, which are only for
//     calls without side effects: there the later record is marked as superseded.
//   - Until the end this worker is the owner of the call: it answers probes, and no other
//     process may declare the outcome unknown.
//
// It does not promise that a call without side effects runs once, nor anything about a
// delivery after its process was killed: the queue delivers the call again.
//
// # States
//
// The states are in state.go, with the transitions between them. A store that fails is
// tried again after a pause, in the same state, until [Executor.Close].
//
//	state            the delivery                                    next
//	taken            has a slot; nothing was done                    running, fencing, moving, settled, left, returned
//	running          is owned here, the engine runs the tool         encoding, fencing, moving, settled, left, returned
//	fencing          has an outcome, the tool did not run            encoding, preempted, settled, left
//	preempted        met the start fence of another delivery         encoding (outcome_unknown), settled, left
//	encoding         has an outcome that stands                      publishing
//	publishing       waits for the acknowledgement of its result     stored, comparing
//	comparing        has found another result of the call            stored, settled, publishing
//	moving           goes onto another lane, without a slot          moved
//	stored, settled, left, returned, moved                           the ends
//
// # Which fact decides
//
// A call is delivered more than once if a heartbeat is late, a worker or server is lost, or
// an acknowledgement does not arrive. What is stored decides the end of the later delivery;
// the first row that applies counts.
//
//	fact                                                   delivery not run         delivery that has run
//	this process runs the call by another delivery         left                     –
//	the user is bound to another worker                    moved                    –
//	no room for records or results                         waits; drain: returned   result waits, and keeps its slot
//	                                                                                beyond 4 ended calls per slot
//	a result is stored, or in a group a dispatcher found   settled                  settled; stored if it is this
//	  (its record is in the same message)                                           attempt's, whose ack was lost
//	fenced by an end (cancelled, timeout, refused)         that end is the outcome  cannot be: see Begin
//	fenced by a start of another delivery, which is        left                     –
//	  owned elsewhere
//	fenced by a start, owner gone                          outcome_unknown, unless  –
//	                                                       only its nested calls act
//	owned elsewhere, no fence                              left                     the first result stored counts
//	parked for a person                                    –                        settled
//	cancelled while queued or running                      cancelled, after a fence the tool's outcome, cancelled
//	                                                       if the tool may act      if it changed nothing, or unknown
//	begun by MaxAttempts other workers                     execution_error, fenced  –
//	the worker lacks the tool, or has no room for it       moved, not an attempt    –
//	a fact cannot be read now                              returned                 read again after a pause
package execution
