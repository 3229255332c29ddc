// Package bus has everything that goes over NATS: the connection, the names of subjects, the
// streams, the queue of calls, their events, callbacks and timers, requests between processes, and the
// server inside a process.
//
// It promises that what JetStream acknowledged is stored, and that other packages need no NATS
// client. It does not know what a call is for, who made it or who may run it.
package bus
