// Package toolbox holds the tools that a worker runs, and defines the optional parts of a
// worker: scripts, MCP servers, API documents, and the ports to the machine that the worker
// runs on.
//
// The built-in tools, the providers that the program adds, the files of tools directories,
// the MCP servers and the API documents are sources of one snapshot, which a call reads
// without a lock; the tools that models wrote and those of remote processes are looked up
// by tenant (lookup.go).
//
// It promises that calls which run finish on the tools they began with, that a source is
// replaced as a whole or not at all, and that no two tools have names that a model provider
// cannot distinguish. A worker program passes the parts that its tools or its configuration
// need, as values, and links no code of the others; a missing part is named in the error,
// with its package. The parts themselves are below this package.
package toolbox
