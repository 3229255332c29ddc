// Package wire receives the messages of an upstream MCP server, over the pipes of a child
// process or over HTTP, in the forms the SDK's client accepts.
//
// It promises that a server costs bounded memory and time whatever it sends. A message has
// a maximum length; of a longer message only the ends are kept, and only the call it
// answers fails. Messages that are not awaited are read no faster than [perSecond] of them,
// so that a server that floods fills its own pipe. Lines that are not messages are skipped,
// up to a number. A server that does not read cannot delay the writer beyond a bound.
// Structured content keeps every digit of its numbers; see [Exact].
//
// It does not interpret messages beyond that.
package wire
