//go:build race

package execution

// seeds is the number of schedules for each kind of call. The race detector makes each of
// them thirty times slower.
const seeds = 100
