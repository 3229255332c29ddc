// Package worker builds worker programs: processes that take calls from the work queue,
// run the tools, and publish the results.
//
// A custom worker is a program of a few lines that passes its own sets of tools to
// [Main]; it has the same flags, configuration and guarantees as the worker that Helve
// ships. Scripts, MCP servers, API documents, programs, containers and a desktop are parts that a
// program adds ([Program.Parts], packages below worker/parts): it links no code of the others.
//
// A worker promises that every call it takes ends in a result or returns to the queue, and
// that on SIGTERM it takes no new calls, finishes the running ones within the drain
// timeout, and exits 0. It promises nothing about a call after the process was killed: the
// queue delivers it again.
package worker
