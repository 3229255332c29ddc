// Package inspect reads the queue of calls from outside: how many calls wait in each pool, which
// calls a tenant has in the queue, and whether a call is in it.
//
// It promises to change nothing, and to report a call as undelivered only if no worker can have
// taken it.
//
// It is not fast and sees no snapshot: it reads the state of the stream and then message by
// message, a bounded number of them, so a call may be in the queue and not be found. It is for
// people who look at calls and for the end of a call, not for the path of a call.
package inspect
