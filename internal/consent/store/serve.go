package store

import (
	"context"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// ServeVerdicts calls handle for each verdict of a consent, in one process,
// until ctx ends. A handle that fails is called again, here or elsewhere.
func (s Store) ServeVerdicts(ctx context.Context, handle func(context.Context, natsio.Work) error) error {
	return s.share(ctx, streams.Parked, "helve_verdicts", s.subj.Verdict("*", "*", "*"), handle)
}

// ServeAsked is ServeVerdicts for each request that was put into an inbox; ID is the
// user.
func (s Store) ServeAsked(ctx context.Context, handle func(context.Context, natsio.Work) error) error {
	return s.share(ctx, streams.Consent, "helve_asked", s.subj.ConsentRequest("*", "*"), handle)
}

// ServeNotices is ServeAsked for those who notify people: they take each request, too, and a
// slow one delays no other work.
func (s Store) ServeNotices(ctx context.Context, handle func(context.Context, natsio.Work) error) error {
	return s.share(ctx, streams.Consent, "helve_notices", s.subj.ConsentRequest("*", "*"), handle)
}

// ServeRefused is ServeVerdicts for each consent whose request found no room.
func (s Store) ServeRefused(ctx context.Context, handle func(context.Context, natsio.Work) error) error {
	return s.share(ctx, streams.Parked, "helve_refused", s.subj.Refused("*", "*"), handle)
}

// ServeTimers is ServeVerdicts for each timer of [Store.SetTimer] that fired.
func (s Store) ServeTimers(ctx context.Context, handle func(context.Context, natsio.Work) error) error {
	return s.share(ctx, streams.Timers, "helve_fired", s.subj.Fired("*", "*"), handle)
}

func (s Store) share(ctx context.Context, stream, name, filter string, handle func(context.Context, natsio.Work) error) error {
	return natsio.Shared{Conn: s.queue.Conn, Stream: stream, Name: name, Filter: filter, Restore: s.queue.Restore}.Serve(ctx, handle)
}
