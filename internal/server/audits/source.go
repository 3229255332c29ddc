package audits

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
)

// trailSource adapts the audit trail on NATS to the interfaces for sealing, verifying,
// exporting and indexing.
type trailSource struct {
	queue *queue.Queue
	tail  *stream.Tail
	notes *natsio.Bucket
}

// Follow implements [audit.Source].
func (s trailSource) Follow(ctx context.Context, from uint64, each func(audit.Message) error) error {
	return s.tail.Follow(ctx, from, func(m stream.Message) error { return each(message(m)) })
}

// Read implements [audit.Source].
func (s trailSource) Read(ctx context.Context, from, to uint64, tenant string, each func(audit.Message) error) error {
	return stream.On(s.queue.Conn).Read(ctx, from, to, tenant, func(m stream.Message) error { return each(message(m)) })
}

func message(m stream.Message) audit.Message {
	return audit.Message{Seq: m.Seq, Tenant: m.Tenant, Data: m.Data, At: m.At, About: m.Tool}
}

// Extent implements [audit.Source].
func (s trailSource) Extent(ctx context.Context, tenant string) (audit.Extent, error) {
	e, err := stream.On(s.queue.Conn).Extent(ctx, tenant)
	return audit.Extent{First: e.First, Last: e.Last, Own: e.Own, LastOwn: e.LastOwn}, err
}

// Write implements [audit.Seals].
func (s trailSource) Write(ctx context.Context, tenant string, n uint64, seal []byte) error {
	err := stream.On(s.queue.Conn).WriteSeal(ctx, tenant, n, seal)
	if errors.Is(err, natsio.ErrExists) {
		return audit.ErrSealed
	}
	return err
}

// Get implements [audit.Seals].
func (s trailSource) Get(ctx context.Context, tenant string, n uint64) ([]byte, error) {
	return stream.On(s.queue.Conn).Seal(ctx, tenant, n)
}

// Last implements [audit.Seals].
func (s trailSource) Last(ctx context.Context, tenant string) ([]byte, error) {
	return stream.On(s.queue.Conn).LastSeal(ctx, tenant)
}

// Note implements [audit.Seals].
func (s trailSource) Note(ctx context.Context, name string, value []byte) error {
	return s.notes.Put(ctx, noteKey(name), value)
}

// Noted implements [audit.Seals].
func (s trailSource) Noted(ctx context.Context, name string) ([]byte, error) {
	return s.notes.Get(ctx, noteKey(name))
}

// noteKey returns the key of a note; a note about everything has no name.
func noteKey(name string) string {
	if name == "" {
		return "all"
	}
	return "tenant." + name
}

// chain is the seals of the stream; a separate type because the two interfaces each
// have a Read.
type chain struct{ trailSource }

// Read implements [audit.Seals].
func (c chain) Read(ctx context.Context, tenant string, each func(n uint64, seal []byte) error) error {
	return stream.On(c.queue.Conn).Seals(ctx, tenant, 0, each)
}

// rows adapts the stream to the index.
type rows struct{ trailSource }

// Range implements [index.Source].
func (r rows) Range(ctx context.Context) (first, last uint64, err error) {
	first, last, _, err = stream.On(r.queue.Conn).Range(ctx)
	return first, last, err
}
