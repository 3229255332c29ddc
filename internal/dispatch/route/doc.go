// Package route hands calls over to workers, for a dispatcher.
//
// A call goes onto the queue, and comes to a worker from there. A quick call that changes
// nothing may be handed to a worker directly instead, which spares a stored message; that it
// was is known here and nowhere above. The caller sends a call ([Sending.Send]), has it sent
// again when that failed ([Sending.Again]) or is due ([Sending.Due]), and asks for the queue's
// answer before it calls the call accepted ([Sending.Confirm]).
//
// # What it promises
//
// A call that is confirmed is on the queue. A copy is marked as one, so that a worker looks
// for an earlier attempt before it runs it.
//
// # What it does not promise
//
// A direct call is accepted by nobody until it has a result or is queued. Whether a call of
// which the last copy was refused is queued by an earlier one is not known: that is
// [natsio.ErrUnavailable], never [natsio.ErrFull].
package route
