// Package kept stores calls with their arguments and results for longer than the stream of
// results does. Calls of a person that ended within the same second are one message, a block,
// with a time to live, below the subject of the person.
//
// It promises that a block was stored when its write returns nil, that a call is found until
// its block expires or is dropped, and that the blocks of a person can be removed without
// reading them. A block may be stored twice. The package knows nothing of what is in a block.
package kept
