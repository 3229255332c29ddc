// Package calls tests the life of a call on whole systems: the request, the queue, the
// worker that runs it, and the callback that carries its result.
//
// It promises that a call runs once whatever its caller repeats, ends in one result on which
// every dispatcher agrees, and that bad input, large values, time limits, groups and
// cancellation change nothing of that. Calls that wait are bounded, run in a fair order, and
// survive the end of dispatchers and workers; direct calls and messages of anyone on the
// streams break none of it. Calls reach a worker that can run them: one with the tool, the
// user's files, the desktop of the person, or the providers and middleware of a program.
// The receiver of a callback gets each finished element once, signed with the published
// key, however the call ends; a callback which is not allowed refuses its whole request; and
// headers are shown nowhere.
package calls
