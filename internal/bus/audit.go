package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/tool"
)

// unknownTool stands in the subject of a record whose tool has no valid name:
// what a caller asked for may be anything.
const unknownTool = "unknown"

// Audit is where a record goes. What cannot be a tool's name becomes "unknown";
// a record that is about no tool goes under a name such as "helve.token".
func (s Subjects) Audit(tenant, about string) string {
	if !tool.ValidName(about) {
		about = unknownTool
	}
	return s.of(tenant, "audit", about)
}

// AuditMessage is a record as it lies in the trail.
type AuditMessage struct {
	// Seq is its place in the stream, which all tenants share.
	Seq          uint64
	Tenant, Tool string
	Data         []byte
	// At is when the server stored it.
	At time.Time
}

// Record stores one record of the trail and calls done once: with nil when the
// server has stored it, with [ErrFull] when the trail takes no more. An
// acknowledgement that was lost is an error too, though the record may be
// there: who tries again may store it twice, under one audit_id.
func (b *Bus) Record(tenant, about string, data []byte, done func(error)) {
	if !isName(tenant) {
		done(fmt.Errorf("record: %.80q cannot be a tenant", tenant))
		return
	}
	b.publish(&nats.Msg{Subject: b.subj.Audit(tenant, about), Data: data}, func(_ stored, err error) { done(err) })
}

// RecordWait is Record for callers that wait.
func (b *Bus) RecordWait(ctx context.Context, tenant, about string, data []byte) error {
	done := make(chan error, 1)
	b.Record(tenant, about, data, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
}
