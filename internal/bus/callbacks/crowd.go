package callbacks

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// crowdedMark is in the place of the call in the key of a mark, whose tenant is the system
// and whose receiver is the tenant that is marked.
const crowdedMark = "crowded"

// crowded is the subject of the mark of a tenant.
func (s subjects) crowded(tenant string) string {
	return s.callback(Key{subject.System, crowdedMark, tenant})
}

// Crowded reports whether a tenant is marked: it has as many callbacks that have not ended as
// it may have.
func (b *Store) Crowded(ctx context.Context, tenant string) (bool, error) {
	_, err := b.conn.Last(ctx, streams.Callbacks, b.subj.crowded(tenant))
	if errors.Is(err, natsio.ErrNotStored) {
		return false, nil
	}
	return err == nil, err
}

// Mark marks a tenant as crowded, or removes the mark. The process that sends does this,
// which alone counts callbacks.
func (b *Store) Mark(ctx context.Context, tenant string, crowded bool) error {
	if !crowded {
		return natsio.Purge(ctx, b.conn, streams.Callbacks, b.subj.crowded(tenant))
	}
	return b.conn.PublishWait(ctx, &nats.Msg{Subject: b.subj.crowded(tenant), Data: []byte("{}")})
}
