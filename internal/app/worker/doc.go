// Package worker puts a worker process together: configuration, queue, toolbox, ports,
// engine, gate and listeners. The public package of the same name is its face.
//
// It promises that every call it takes ends in a result or returns to the queue, and that
// on SIGTERM it takes no new calls, finishes the running ones within the drain timeout, and
// exits 0. After the process was killed the queue takes over, see internal/bus/queue.
package worker
