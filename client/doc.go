// Package client talks to a running Helve: it executes tool calls, looks up
// tools, follows calls, decides what people are asked, keeps agents' records and
// reads the audit trail, over HTTP or NATS.
//
// The two transports do the same and differ in nothing but the URL given to
// [New]. A [Client] is for any number of goroutines and should live as long as
// the program, because it keeps its connections.
//
// # Failure
//
// What belongs to one call fails that call: its [Result] has [StatusError] and
// an error type. What concerns the whole request is a [*RequestError]; where no
// server could be reached at all it also is [ErrUnreachable]. When ctx ends its
// cause is returned, and a call that was sent goes on: fetch it with
// [Client.Get].
//
// # What it promises
//
// With [WithRetry] a request survives restarts and overload of the other side:
// the client gives each call a call_id before it first sends it, and a call_id
// never runs twice. Without it nothing is sent a second time. A result too
// large for a message is fetched and checked against its hash before it is
// returned. Nothing is written to standard output or standard error.
//
// # What it does not promise
//
// Order between calls, delivery of every event, or that a call whose answer did
// not arrive did not happen: only its call_id tells.
package client
