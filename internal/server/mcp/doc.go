// Package mcp serves the tools of a Helve server to clients of the Model Context
// Protocol: over streamable HTTP, next to the other operations, and over stdio in
// `helve mcp`. It implements version 2026-07-28 of the protocol and the two versions
// before.
//
// A call is handled like any other: tools/call becomes execute, a person is asked by
// elicitation, and the answer becomes consent.decide. The package makes no decisions
// itself and uses a [Platform], which is either the operations of a dispatcher in this
// process or a client of a dispatcher.
//
// It keeps no state between requests, so any replica can answer any request: state that
// a client must return is signed ([State]), a task is identified by its call, and a
// session of the older versions is only a name that distinguishes its requests. Over
// HTTP a client of those versions cannot be asked during a call; it gets the consent_id
// in an error instead.
//
// The package sends no notification when the list of tools changes; a list contains the
// time for which it may be cached.
package mcp
