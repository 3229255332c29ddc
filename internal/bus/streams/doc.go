// Package streams is the message store of Helve in NATS: which streams, buckets and object
// stores there are, with which settings and bounds, and what state they are in.
//
// It promises that a process finds them as they must be, or an error for the operator: they are
// made, compared and changed back while processes run, the storage of the servers is divided
// among them, and those whose loss would break a promise are reported instead of made again.
// While the store has no room for records or results, [Store.Full] and [Store.Held] return the
// reason, learnt from refused writes and from a check of the streams each second: a process then
// accepts and runs no calls.
//
// It does not know what the messages mean: packages queue, consent/store, audit/stream and others
// write and read them.
package streams
