// Package mcp is the tools of a Helve for clients of the Model Context Protocol:
// over streamable HTTP, beside the other operations, and over stdio in `helve mcp`.
// It speaks the protocol of 2026-07-28 and the two before it.
//
// A call goes the way of every other one: tools/call becomes execute, a person who
// must be asked is asked by elicitation, and their answer becomes consent.decide. The
// package decides nothing itself and stands on a [Platform], which is the operations
// of a dispatcher in this process or a client of one.
//
// It keeps no state between requests, so any replica answers any request: what a
// client must bring back is signed ([State]), a task is named by its call, and a
// session of the older versions is nothing but a name that its requests are told
// apart by. Over HTTP a client of those versions cannot be asked anything in the
// middle of a call; it gets the consent_id in an error instead.
//
// The package tells nobody that the list of tools has changed; a list says for how
// long it may be kept.
package mcp
