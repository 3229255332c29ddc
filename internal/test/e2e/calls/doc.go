// Package calls tests the life of a call, on whole systems.
//
// It promises that a call runs once whatever its caller repeats, ends in one result on which every dispatcher
// agrees, and that bad input, large values, time limits, groups and cancellation change nothing
// of that.
package calls
