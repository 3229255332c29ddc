// Package history keeps what the workers did in the last hour, as they announce it.
//
// It promises bounded memory: a ring of 360 steps of ten seconds for each pool, of at most
// 200 pools. It needs no counters of its own, so each dispatcher knows the calls of all
// dispatchers, since it has started.
//
// It does not promise to count the calls of a worker between its last announcement and its
// end.
package history
