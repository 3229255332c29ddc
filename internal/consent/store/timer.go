package store

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

// Timer is the subject of a timer that has not fired.
func (n Subjects) Timer(tenant, id string) string { return n.Of(tenant, "timer", id) }

// Fired is the subject of a timer that has fired; the server publishes to it.
func (n Subjects) Fired(tenant, id string) string { return n.Of(tenant, "fired", id) }

// SetTimer makes the server publish at a time, for one of the processes that serve
// timers. A second timer with the same id replaces the first. Timers are not removed:
// a timer for a consent that has ended is found to have no effect, which costs less.
//
// The header is written by hand, since the client library's option cuts the time to whole
// seconds. Only dispatchers may write to the stream: a schedule makes the server publish
// with its own rights.
func (s Store) SetTimer(ctx context.Context, tenant, id string, at time.Time) error {
	err := s.queue.Conn.PublishWait(ctx, &nats.Msg{
		Subject: s.subj.Timer(tenant, id),
		Header: nats.Header{
			"Nats-Schedule":        {"@at " + at.UTC().Format(time.RFC3339Nano)},
			"Nats-Schedule-Target": {s.subj.Fired(tenant, id)},
		},
	})
	return err
}
