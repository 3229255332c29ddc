// Package timers has the timers of scheduled tasks, which the NATS server publishes at their
// times, and the requests about tasks that dispatchers send to workers.
//
// It promises that a timer that is stored reaches one process that looks at its task, again if
// the look fails, and that setting a timer again adds none. Workers have dispatchers store
// their timers, because a timer makes the server publish with its own rights.
//
// It does not know what is in a task: the data of a person, which a worker of the pool reads.
// It does not make the calls of a task: package dispatch/schedule does, which also finds tasks
// whose timers were lost.
package timers
