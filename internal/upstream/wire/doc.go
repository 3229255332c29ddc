// Package wire is how messages of an upstream MCP server come in: over the pipes of a
// child process or over HTTP, in the forms the SDK's client takes.
//
// It promises that a server costs bounded memory and time whatever it sends. A message
// is at most so many bytes long; of a longer one only its ends are kept, and the call it
// answers fails by itself. Messages that nobody waits for are read no faster than
// [perSecond] of them, so that a server that floods fills its own pipe. Lines that are
// no messages are left out, up to a number. A server that does not read cannot hold up
// who writes. Structured content keeps every digit of its numbers; see [Exact].
//
// It does not know what messages mean beyond that.
package wire
