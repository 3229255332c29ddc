// Package deadletters has the messages of the queue that no worker could read, which a worker set
// aside: an operator looks at them, and has them queued again or removed.
//
// It promises that a letter that is queued again is queued once, by however many processes, and only
// on the queue of its own pool.
//
// It does not decide who may look at a letter or queue it: package server/calls does. It does not
// set letters aside: package queue does, on a worker.
package deadletters
