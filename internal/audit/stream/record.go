package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/tool"
)

// unknownTool replaces an invalid name of a tool in the subject of a record: a caller may
// send any name.
const unknownTool = "unknown"

// Audit is where a record goes. What cannot be a tool's name becomes "unknown";
// a record that is about no tool goes under a name such as "helve.token".
func (s Subjects) Audit(tenant, about string) string {
	if !tool.ValidName(about) {
		about = unknownTool
	}
	return s.Of(tenant, "audit", about)
}

// AboutBlocks is the last token in the subject of a message with several records, one a
// line: final records of calls that were stored with their results.
const AboutBlocks = "helve.block"

// Message is a record as it is stored on the trail.
type Message struct {
	// Seq is its place in the stream, which all tenants share.
	Seq uint64
	// Tenant is "" where the subject names none that a record can be of.
	Tenant, Tool string
	Data         []byte
	// At is when the server stored it.
	At time.Time
}

// Record stores one record of the trail and calls done once: with nil when the
// server has stored it, with [natsio.ErrFull] when the trail is full. An
// acknowledgement that was lost is an error too, though the record may be
// there: who tries again may store it twice, under one audit_id.
func (s Store) Record(tenant, about string, data []byte, done func(error)) {
	if !subject.IsName(tenant) {
		done(fmt.Errorf("record: %.80q cannot be a tenant", tenant))
		return
	}
	s.conn.Publish(&nats.Msg{Subject: s.subj.Audit(tenant, about), Data: data}, func(_ natsio.Ack, err error) { done(err) })
}

// RecordWait is Record for callers that wait.
func (s Store) RecordWait(ctx context.Context, tenant, about string, data []byte) error {
	done := make(chan error, 1)
	s.Record(tenant, about, data, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", natsio.ErrUnavailable, context.Cause(ctx))
	}
}
