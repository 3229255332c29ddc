package bus

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

// Timer holds what is to fire, Fired is where it does.
func (s Subjects) Timer(tenant, id string) string { return s.of(tenant, "timer", id) }

// Fired is where the server publishes when a timer's time has come.
func (s Subjects) Fired(tenant, id string) string { return s.of(tenant, "fired", id) }

// SetTimer has the server fire at a time, for one of those who ServeTimers. A
// second timer of the same id takes the place of the first. Nobody takes a timer
// back: what it would end has ended by then, which costs less to find.
//
// The header is written by hand, since the client library's option cuts the time
// to whole seconds. The stream belongs to dispatchers alone: whoever may write
// a schedule can have the server publish for them.
func (b *Bus) SetTimer(ctx context.Context, tenant, id string, at time.Time) error {
	err := b.publishWait(ctx, &nats.Msg{
		Subject: b.subj.Timer(tenant, id),
		Header: nats.Header{
			"Nats-Schedule":        {"@at " + at.UTC().Format(time.RFC3339Nano)},
			"Nats-Schedule-Target": {b.subj.Fired(tenant, id)},
		},
	})
	return err
}
