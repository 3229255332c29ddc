// Package callback sends the results of calls to the URLs that requests name.
//
// # Data flow
//
//	accept   before a call is queued its dispatcher stores the callback in HELVE_CALLBACKS,
//	         one for each call and URL, the first stays; a call without a callback costs nothing
//	follow   one dispatcher, by a lease, follows that stream, subscribes to the result of each
//	         waiting call, then looks for a stored one; now and then it looks again
//	due      a result that is there is copied into the stream, before results may be purged
//	send     POST, signed; after a failure again when as much time has passed as until then,
//	         a second at least and an hour at most, until a day has passed
//	ended    2xx, 410 or the end of that day is stored in place of the URL; this state is kept
//	         as long as the call_id is known, so that a call that is sent again sends nothing
//
// The answer to a refused call, which is stored nowhere else, is due from the beginning.
//
// # What it promises
//
// The callback of each accepted call is sent, or ends with an audit record, whichever processes die and whatever is
// full. A tenant with too many that wait is refused further ones. After a receiver has answered 2xx it gets nothing
// more of that call. Of two dispatchers only one sends. A receiver that does not answer delays only the callbacks of
// one tenant to its host. Headers are stored encrypted; neither they nor the path of a URL are in a log, a record, an
// error or an answer.
//
// # What it does not promise
//
// A dispatcher that dies after the receiver's answer and before it has stored it sends once
// more; so does a dispatcher that loses its lease while it sends. Callbacks have no order. The body of
// the receiver's answer is not read.
package callback
