// Package results answers one question for a dispatcher: what is the stored result of a call?
//
// A result is stored in a message of its own, or with others in one message, a group. A result
// of its own may come second, after a group that holds an earlier one, and the index that
// knows which groups hold a call is up to some 100 ms behind. All of this is known here and
// nowhere above: a caller names the call ([Ref]) and reads, or waits ([Results.Await]).
//
// # What it promises
//
// [Results.FindLatest] returns the first result that was stored of a call, nil only if none
// was stored before it was asked. [Results.Find] is quicker and may miss a result of the last
// moments. Neither returns a second result of a call. An index that cannot be read or is
// behind is an error, [ErrBehind], never a missing result.
//
// # What it does not promise
//
// [Awaiting] receives nothing that was stored while the connection to NATS was lost; its
// owner calls [Awaiting.Look] now and then.
package results
