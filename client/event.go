package client

import (
	"context"
	"iter"

	"github.com/helve-dev/helve/protocol"
)

// Types of events.
const (
	EventQueued          = protocol.EventQueued
	EventStarted         = protocol.EventStarted
	EventProgress        = protocol.EventProgress
	EventLog             = protocol.EventLog
	EventPartial         = protocol.EventPartial
	EventAwaitingConsent = protocol.EventAwaitingConsent
	EventResumed         = protocol.EventResumed
	EventDone            = protocol.EventDone
)

// Event is one step of a call. ID orders the events of a trace; it may be empty. The
// content of Data depends on Type.
type Event = protocol.Event

// Events yields the events of a trace, from the moment Events was called; over HTTP
// also earlier events that the server still holds. The sequence may be used once. It
// ends without an error when ctx ends, and otherwise after the first error; with
// [WithRetry] a lost connection is re-established, over HTTP without a gap. Delivery of
// every event is not guaranteed.
func (c *Client) Events(ctx context.Context, traceID string) iter.Seq2[Event, error] {
	if !tracePattern.MatchString(traceID) {
		return failing(misused("trace_id %.40q must be 32 lower-case hex digits", traceID))
	}
	seq := c.via.events(ctx, traceID, "")
	if !c.retry {
		return seq
	}
	return func(yield func(Event, error) bool) {
		last := ""
		for attempt := 0; ; attempt++ {
			var failed error
			for e, err := range seq {
				if err != nil {
					failed = err
					break
				}
				if e.ID != "" {
					last = e.ID
				}
				attempt = 0
				if !yield(e, nil) {
					return
				}
			}
			if failed == nil || ctx.Err() != nil {
				return
			}
			if !retryable(failed) {
				yield(Event{}, failed)
				return
			}
			if !pause(ctx, attempt, retryAfter(failed)) {
				return
			}
			seq = c.via.events(ctx, traceID, last)
		}
	}
}

// events connects, over HTTP, when the sequence is first read: the server repeats the
// events in between.
func (t *httpTransport) events(ctx context.Context, traceID, after string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		err := t.stream(ctx, traceID, after, func(e Event) bool { return yield(e, nil) })
		if err != nil && ctx.Err() == nil {
			yield(Event{}, err)
		}
	}
}
