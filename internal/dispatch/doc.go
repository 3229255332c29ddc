// Package dispatch accepts calls and returns their results.
//
// A request's calls run in parallel, each in its own run: accept (is there
// such a tool, is the call_id new), place (which workers have it), route (onto the
// pool's work queue), collect (wait for the result). A dispatcher holds nothing that
// another could not read from NATS: kill it, and any other answers for the same call_id.
//
// Package place knows workers, package route how a call is handed over, package results
// where results are stored.
//
// It may refuse a call early; only a worker may allow one. A call it refuses
// was never accepted and leaves no stored result.
package dispatch
