// Package upstream connects workers to MCP servers that an operator configured: it
// lists the servers' tools and executes calls of them.
//
// # The way of a tool, and of a call
//
//	file       Read: servers by name; an invalid server does not affect the others
//	server     a child process or a URL, kept connected, listed, listed again when it changes
//	offer      a tool of a server, made harmless: name, text, schema, risk
//	approvals  helve_upstream: which definitions may be offered, the same for all workers
//	Pool       the tools of all servers as the worker offers them, and what is withheld
//	tool       behind the whole pipeline, and only then tools/call to the server
//
// # What it promises
//
// A server decides nothing: risk, scopes and timeouts are the operator's, and a
// server's own hints can make its tools look more dangerous and never less. A
// definition that changed after it was accepted is withheld, on every worker, until an
// operator accepts that exact definition; a call is never run with another definition
// than the one it was authorized with. Calls to a disconnected server fail immediately.
// A server's messages cost bounded memory and time: see package wire. Only its tools
// are used, and its own requests are refused. A lost server is restarted with growing
// pauses, and all its processes end with the worker, even if the worker is killed.
//
// # What it does not promise
//
// That a server does what its definition says: it runs with the worker's rights, or on
// another machine. That a change of a server's code behind the same definition is
// noticed. That a server whose call timed out has stopped.
package upstream
