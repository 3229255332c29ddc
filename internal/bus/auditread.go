package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// auditBatch is how many records are asked for at a time.
const auditBatch = 2048

// errEnough ends a walk at its last message.
var errEnough = errors.New("enough")

// FollowAudit gives every record of every tenant from a place on, or from the
// first there is, and then those that come, in order, until ctx ends or each
// fails; the error is then the cause, or each's. It survives reconnects, and
// the server's restart. Records that the server can no longer read are left
// out without a word; their places are missing.
func (b *Bus) FollowAudit(ctx context.Context, from uint64, each func(AuditMessage) error) error {
	return b.followAudit(ctx, from, pullExpires, each)
}

func (b *Bus) followAudit(ctx context.Context, from uint64, wait time.Duration, each func(AuditMessage) error) error {
	// Without a filter: the stream holds nothing but records, and the server
	// would compare the subject of each.
	w := walk{bus: b, stream: StreamAudit, next: from, batch: auditBatch, wait: wait}
	w.each = func(msg *nats.Msg, meta *nats.MsgMetadata) error { return each(b.auditMessage(msg, meta)) }
	return w.run(ctx)
}

// ReadAudit gives the records between two places, both included, that are there
// when it is called; of one tenant, or of all if tenant is "". It ends early
// with each's error. A record may be given whose place is past what was there:
// those that came meanwhile, up to the end of the range.
func (b *Bus) ReadAudit(ctx context.Context, from, to uint64, tenant string, each func(AuditMessage) error) error {
	if from > to {
		return nil
	}
	if tenant == "" {
		tenant = "*"
	}
	w := walk{bus: b, stream: StreamAudit, filter: b.subj.of(tenant, "audit", ">"), next: from, batch: auditBatch}
	w.each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		if meta.Sequence.Stream > to {
			return errEnough
		}
		if err := each(b.auditMessage(msg, meta)); err != nil {
			return err
		}
		if meta.Sequence.Stream == to {
			return errEnough
		}
		return nil
	}
	if err := w.run(ctx); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

func (b *Bus) auditMessage(msg *nats.Msg, meta *nats.MsgMetadata) AuditMessage {
	m := AuditMessage{Seq: meta.Sequence.Stream, Data: msg.Data, At: meta.Timestamp}
	if tenant, tokens, ok := b.subj.split(msg.Subject, 2); ok && len(tokens) == 2 {
		m.Tenant, m.Tool = tenant, tokens[1]
	}
	return m
}

// AuditExtent says what the server counts.
type AuditExtent struct {
	// First and Last are the places of the first and the last record of the
	// trail, Records how many there are between them. As nothing may be deleted
	// there are as many as places; after damage to the server's files they may
	// be more than can be read.
	First, Last, Records uint64
	// Own is how many of the records are of the tenant that was asked for,
	// LastOwn the place of the last of them that can be read, 0 for none.
	Own, LastOwn uint64
}

// AuditRange returns the places of the first and the last record of the trail,
// and how many records the server counts between them.
func (b *Bus) AuditRange(ctx context.Context) (first, last, messages uint64, err error) {
	e, err := b.AuditExtent(ctx, "")
	return e.First, e.Last, e.Records, err
}

// AuditExtent says what the server counts of the trail, and of a tenant's
// records in it if tenant is not "".
func (b *Bus) AuditExtent(ctx context.Context, tenant string) (AuditExtent, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	stream, err := b.js.Stream(ctx, StreamAudit)
	if err != nil {
		return AuditExtent{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	filter := b.subj.of(tenant, "audit", ">")
	var opts []jetstream.StreamInfoOpt
	if tenant != "" {
		opts = append(opts, jetstream.WithSubjectFilter(filter))
	}
	info, err := stream.Info(ctx, opts...)
	if err != nil {
		return AuditExtent{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	e := AuditExtent{First: info.State.FirstSeq, Last: info.State.LastSeq, Records: info.State.Msgs}
	for _, n := range info.State.Subjects {
		e.Own += n
	}
	if e.Own == 0 {
		return e, nil
	}
	msg, err := b.last(ctx, StreamAudit, filter)
	if errors.Is(err, errNoRecord) {
		return e, nil // what is counted cannot be read
	}
	if err != nil {
		return AuditExtent{}, err
	}
	e.LastOwn, err = strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
	return e, err
}
