// Package queueing tests how calls wait and move between processes, on whole systems.
//
// It promises that calls that wait are bounded, run in a fair order, survive the end of dispatchers and
// workers, and that direct calls and messages of anyone on the streams break none of it.
package queueing
