//go:build !race

package execution

// seeds is the number of schedules for each kind of call.
const seeds = 2000
