// Package durable describes programs as they are stored: a program is a run of code whose every step is a call,
// which waits as data and goes on after any crash.
//
// A [Program] is one message that each change replaces: the call that is queued, its state and
// what it waits for. Its journal holds what the code has seen, in that order: entries are only
// appended. Both are written by dispatchers, each write naming the revision, or the last entry,
// that it builds on, so that of two turns of one program only one goes on.
//
// The life of a program, with every place where a process can be killed, is a model in
// life_test.go, of which all states are checked. What follows from it:
//
//   - The waker of a program appends the outcome, queues the call under the number of its wake,
//     and then writes that it is queued. Each of them may be done twice.
//   - A turn that is overtaken gives its message back to the queue.
//   - A program that waits again stores the number of the wake that it runs by, also if the
//     waker has not written that yet: else the next wake would have the same number, and the
//     queue would drop it.
package durable
