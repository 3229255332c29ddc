// Package member is a worker's part in the fleet: it announces the worker and its tools, follows the
// others, serves the users that are bound to it, and carries out the orders of operators.
//
// It promises that no tool runs here whose files or data the next worker of the pool would not
// find, and that a pool that an operator paused is not taken from, also after a start. It does not
// run calls and takes none from the queue.
package member
