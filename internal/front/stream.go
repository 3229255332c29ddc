package front

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/internal/bus"
)

// stream is the audit trail on the bus, as those who seal, verify, export and
// index it see it. The interfaces are theirs.
type stream struct {
	bus   *bus.Bus
	notes *bus.Bucket
}

// Follow implements [audit.Source].
func (s stream) Follow(ctx context.Context, from uint64, each func(audit.Message) error) error {
	return s.bus.FollowAudit(ctx, from, func(m bus.AuditMessage) error { return each(message(m)) })
}

// Read implements [audit.Source].
func (s stream) Read(ctx context.Context, from, to uint64, tenant string, each func(audit.Message) error) error {
	return s.bus.ReadAudit(ctx, from, to, tenant, func(m bus.AuditMessage) error { return each(message(m)) })
}

func message(m bus.AuditMessage) audit.Message {
	return audit.Message{Seq: m.Seq, Tenant: m.Tenant, Data: m.Data, At: m.At}
}

// Extent implements [audit.Source].
func (s stream) Extent(ctx context.Context, tenant string) (audit.Extent, error) {
	e, err := s.bus.AuditExtent(ctx, tenant)
	return audit.Extent{First: e.First, Last: e.Last, Own: e.Own, LastOwn: e.LastOwn}, err
}

// Write implements [audit.Seals].
func (s stream) Write(ctx context.Context, tenant string, n uint64, seal []byte) error {
	err := s.bus.WriteSeal(ctx, tenant, n, seal)
	if errors.Is(err, bus.ErrExists) {
		return audit.ErrSealed
	}
	return err
}

// Get implements [audit.Seals].
func (s stream) Get(ctx context.Context, tenant string, n uint64) ([]byte, error) {
	return s.bus.Seal(ctx, tenant, n)
}

// Last implements [audit.Seals].
func (s stream) Last(ctx context.Context, tenant string) ([]byte, error) {
	return s.bus.LastSeal(ctx, tenant)
}

// Note implements [audit.Seals].
func (s stream) Note(ctx context.Context, name string, value []byte) error {
	return s.notes.Put(ctx, noteKey(name), value)
}

// Noted implements [audit.Seals].
func (s stream) Noted(ctx context.Context, name string) ([]byte, error) {
	return s.notes.Get(ctx, noteKey(name))
}

// noteKey is where a note lies: one about everything has no name.
func noteKey(name string) string {
	if name == "" {
		return "all"
	}
	return "tenant." + name
}

// chain is the seals of the stream: the two interfaces each have a Read.
type chain struct{ stream }

// Read implements [audit.Seals].
func (c chain) Read(ctx context.Context, tenant string, each func(n uint64, seal []byte) error) error {
	return c.bus.Seals(ctx, tenant, 0, each)
}

// rows is the stream as the index reads it.
type rows struct{ bus *bus.Bus }

// Follow implements [index.Source].
func (r rows) Follow(ctx context.Context, from uint64, each func(index.Message) error) error {
	return r.bus.FollowAudit(ctx, from, func(m bus.AuditMessage) error {
		return each(index.Message{Seq: m.Seq, Tenant: m.Tenant, Data: m.Data})
	})
}

// Range implements [index.Source].
func (r rows) Range(ctx context.Context) (first, last uint64, err error) {
	first, last, _, err = r.bus.AuditRange(ctx)
	return first, last, err
}
