// Package pathmodel is a model of one call, small enough to visit every reachable
// state: accepted, queued, delivered, fenced, stored, answered, recorded.
//
// Two dispatchers, two workers, two pumps, the broker and a caller that may send
// requests or cancel at any time take steps in every order. Any process may die between
// two of its steps, together with others or while others are dead. A message or its
// acknowledgement may be lost, a delivery repeated while its worker lives (a worker
// that was stopped and continues), a probe unanswered although a process could answer
// it, the queue or the results stream may be full, and a worker without the tool
// returns the call. What the broker has stored is never lost.
//
// A call without side effects may have its result in a group, which the server does not
// compare with other results of the call: the first in the order of the stream is
// valid, whichever of the two it is, and a reader of the other would violate a promise.
//
// A transactional tool commits its changes in a database, together with a row of the call.
// A worker reads that row before it runs a copy that was delivered before. A call that ends
// without its changes has a row too.
//
// A call without side effects may be direct: handed to a worker and queued only if that
// worker declines it, if no result comes in time, or before it is answered as pending.
//
// In every state: no answer differs from the stored result, a tool with side effects
// has acted at most once, a call that was ended or given up before it started has not
// acted, and the trail has at most one final record of the call. From every state in
// which the call was queued a result can be reached without another fault and without
// the caller; from every state in which it is accepted, with the caller sending the
// request again; from every result its record.
//
// It proves this for the model only. The fault tests of internal/test/faults check that the
// code takes the same steps: they kill, stop and fail the processes at failpoints that
// correspond to steps of the model.
//
//	caller asks, dispatcher stores the acceptance | dispatcher.received
//	caller asks, dispatcher stores the acceptance | dispatcher.after_callback
//	caller asks, dispatcher stores the acceptance | dispatcher.before_accept
//	dispatcher queues the call | dispatcher.after_accept
//	the queue has no room | dispatcher.before_release
//	dispatcher queues the call | queue.publish
//	dispatcher queues the call, the acknowledgement is lost | queue.ack
//	dispatcher hands the call to a worker | dispatcher.after_hand
//	no result in time, dispatcher queues a copy | dispatcher.before_copy
//	the direct call is lost | queue.receive_direct
//	a worker declines the direct call | queue.decline
//	the stored result arrives, dispatcher answers | dispatcher.after_submit
//	the stored result arrives, dispatcher answers | dispatcher.before_answer
//	dispatcher's result is stored | dispatcher.after_end
//	the queue delivers | queue.receive
//	worker takes the call | worker.taken
//	worker of a copy delivered before reads the result: none | worker.before_earlier
//	worker of a copy delivered before reads the result: none | queue.read
//	worker stores the fence | worker.before_fence
//	worker runs the tool | worker.after_fence
//	worker stores the fence that ends the call | worker.before_end
//	worker commits the changes with the result | store.before_commit
//	worker commits the changes with the result | store.in_commit
//	worker commits the changes with the result, the answer is lost | store.after_commit
//	worker's result is stored | worker.after_tool
//	worker's group is stored | worker.before_group
//	worker's group is stored, its acknowledgement lost | worker.after_group
//	worker's result is stored, its acknowledgement lost | worker.after_result
//	worker without the tool returns the call | queue.moved
//	worker acknowledges | queue.settle
//	the acknowledgement is lost | worker.after_ack
//	the queue delivers again, heartbeats are late | queue.beat
//	pump writes the block | pump.before_write
//	pump crashes | pump.after_write
//
// The model omits what does not affect these promises: events, arguments and results
// too large for a message, persons who decide, callbacks, accounts, and groups of queued calls (a group is
// its messages, stored together).
package pathmodel
