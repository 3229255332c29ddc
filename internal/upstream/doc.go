// Package upstream is tools of MCP servers: the servers that an operator configured for
// a worker, what they offer, and the calls of it.
//
// # The way of a tool, and of a call
//
//	file    Read: servers by name; one that is written wrong does not take others down
//	server  a child process or a URL, kept connected, listed, listed again when it changes
//	offer   what a server says of a tool, made harmless: name, text, schema, risk
//	pins    helve_upstream: which definitions may be offered, the same for all workers
//	Pool    the tools of all servers as the worker offers them, and what is withheld
//	tool    behind the whole pipeline, and only then tools/call to the server
//
// # What it promises
//
// A server decides nothing: risk, scopes and times are the operator's, what a server
// says of its own tools can make them look more dangerous and never less. A definition
// that changed after it was accepted is withheld, on every worker, until an operator
// accepts that very definition; a call never runs by another definition than the one it
// was judged by. A server that is not there answers at once. What a server sends costs
// bounded memory and time: see package wire. It is asked nothing but its tools, and what
// it asks is refused. A server that is lost is started again, later each time, and every
// process of it ends with the worker, also with one that is killed.
//
// # What it does not promise
//
// That a server does what its definition says: it runs as the worker does, or on another
// machine. That it is noticed when a server answers by other code under the same
// definition. That a server whose call ran out of time has stopped.
package upstream
