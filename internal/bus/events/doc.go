// Package events publishes the steps of calls over core NATS: a call was queued, started, ended,
// or its tool reported something.
//
// It promises that a listener receives the events of a trace in the order of their times, each
// once, first those that processes still keep of the past and then new ones, and that it can
// resume after any of them. A listener that is too slow is disconnected and delays nobody.
//
// It does not promise delivery: events are kept for a time in the memory of the process that
// published them, and nowhere else. What a call ended in is in its result, which package queue
// stores. It does not decide who may listen: package dispatch does.
package events
