// Package callbacks stores which results of calls are to be sent to URLs, and those results until
// they are delivered.
//
// It promises that a callback is stored once for a call and a receiver, whatever became of it,
// that of two processes that change it one is refused, and that a result which waits to be sent
// outlives the result of the call in the queue.
//
// It does not send anything and does not decide what is due: package dispatch/callback does. It
// does not bound the callbacks of a tenant, it only holds the mark of those that have too many.
package callbacks
