// Package worker runs tools: it takes calls off the work queue, passes each
// through the engine, and publishes its result.
//
// A custom worker is a program of a few lines that hands its own sets of tools
// to [Main]; it obeys the same flags, configuration and guarantees as the
// worker Helve ships.
//
// What a worker promises: every call it takes ends in a result, or goes back
// to the queue; on SIGTERM it takes no more, finishes what it runs within the
// drain timeout, and exits 0. What it does not: anything about a call after
// the process was killed. That is the queue's part, see internal/bus.
package worker
