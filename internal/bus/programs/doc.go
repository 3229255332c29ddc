// Package programs stores programs: the state of each in a bucket, and its journal in a stream.
//
// It promises that a write which does not build on the newest state, or on the last entry, is
// refused with [natsio.ErrExists]. It knows nothing of what the entries mean.
package programs
