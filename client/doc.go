// Package client is a client of a running Helve server: it executes tool calls, looks
// up tools, follows calls, decides consents, manages agents' records and reads the
// audit trail, over HTTP or NATS.
//
// The two transports behave alike and are selected by the URL given to [New]. A
// [Client] is safe for concurrent use and should live as long as the program, because
// it keeps its connections.
//
// # Failure
//
// An error that belongs to one call fails that call: its [Result] has [StatusError] and
// an error type. An error of the whole request is a [*RequestError]; if no server could
// be reached it is also [ErrUnreachable]. When ctx ends, its cause is returned, and a
// call that was already sent continues: fetch its result with [Client.Get].
//
// # What it promises
//
// With [WithRetry] a request survives restarts and overload of the server: the client
// gives each call a call_id before it first sends it, and a call_id never runs twice.
// Without it nothing is sent a second time. A result too large for a message is fetched
// and checked against its hash before it is returned. Nothing is written to standard
// output or standard error.
//
// # What it does not promise
//
// Order between calls, delivery of every event, or that a call without an answer did
// not run: look it up by its call_id.
package client
