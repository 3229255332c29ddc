package client

import (
	"context"
	stdjson "encoding/json"
	"iter"
	"time"
)

// Types of events.
const (
	EventQueued          = "queued"
	EventStarted         = "started"
	EventProgress        = "progress"
	EventLog             = "log"
	EventPartial         = "partial"
	EventAwaitingConsent = "awaiting_consent"
	EventResumed         = "resumed"
	EventDone            = "done"
)

// Event is one step of a call.
type Event struct {
	// ID orders the events of a trace; it may be empty.
	ID string `json:"id,omitzero"`
	// Type is one of the constants above.
	Type    string    `json:"type"`
	Time    time.Time `json:"time"`
	TraceID string    `json:"trace_id"`
	CallID  string    `json:"call_id"`
	Tool    string    `json:"tool"`
	// Data is any JSON value; what it holds depends on Type.
	Data stdjson.RawMessage `json:"data,omitzero"`
}

// Events yields what happens in a trace, from the moment Events was called;
// over HTTP also what is still known of the time before. The sequence may be
// used once. It ends without an error when ctx ends, and after the first error
// otherwise; with [WithRetry] a lost connection is made again, over HTTP without
// a gap. Delivery of every event is not promised.
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

// events over HTTP begins when it is read: the server tells again what happened
// in between.
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
