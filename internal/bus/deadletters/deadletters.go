package deadletters

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

// Letters reads, requeues and removes the dead letters of a queue.
type Letters struct {
	conn *natsio.Conn
	subj queue.Subjects
}

// On returns the dead letters of a queue.
func On(q *queue.Queue) *Letters { return &Letters{conn: q.Conn, subj: q.Subjects()} }

// Letter is a message of a pool's queue that a worker could not read.
type Letter struct {
	// Seq is its place in the stream of dead letters.
	Seq          uint64
	Tenant, Pool string
	// At is the time it was set aside, Reason why, Subject where it was queued.
	At              time.Time
	Reason, Subject string
	Data            []byte
	// Call is the call, if this process can read it; nil if not.
	Call *call.Call

	traceparent string
}

// ErrNone means that there is no dead letter of that number in the tenant.
var ErrNone = errors.New("no such dead letter")

// Next returns the first dead letter of a tenant at the place from or later.
func (b *Letters) Next(ctx context.Context, tenant string, from uint64) (*Letter, error) {
	return b.read(ctx, max(from, 1), jetstream.WithGetMsgSubject(b.subj.Dead(tenant, "*")))
}

// At returns one dead letter of a tenant.
func (b *Letters) At(ctx context.Context, tenant string, seq uint64) (*Letter, error) {
	d, err := b.read(ctx, seq)
	if err == nil && d.Tenant != tenant {
		return nil, ErrNone
	}
	return d, err
}

func (b *Letters) read(ctx context.Context, seq uint64, opts ...jetstream.GetMsgOpt) (*Letter, error) {
	stream, err := b.stream(ctx)
	if err != nil {
		return nil, err
	}
	msg, err := stream.GetMsg(ctx, seq, opts...)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, ErrNone
	case err != nil:
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Dead, err)
	}
	d := &Letter{
		Seq: msg.Sequence, At: msg.Time, Reason: msg.Header.Get(queue.HeaderReason), Subject: msg.Header.Get(queue.HeaderSubject),
		Data: msg.Data, traceparent: msg.Header.Get(queue.HeaderTraceparent),
	}
	d.Tenant, d.Pool = b.subj.TenantAndLast(msg.Subject)
	if e, err := call.Decode(d.Data); err == nil {
		d.Call = e
	}
	return d, nil
}

func (b *Letters) stream(ctx context.Context) (jetstream.Stream, error) {
	stream, err := b.conn.JetStream().Stream(ctx, streams.Dead)
	if err != nil {
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Dead, err)
	}
	return stream, nil
}

// ErrSubject means that a dead letter names a subject that is not one of its own
// pool's queue. A worker wrote it, so it may name anything.
var ErrSubject = errors.New("it does not name a subject in the queue of its own pool")

// Requeue puts a dead letter on its pool's queue again and removes it. A call that can be
// read gets until startBy to start, and workers look for earlier attempts of it.
// natsio.ErrExists means that another process has requeued the letter.
func (b *Letters) Requeue(ctx context.Context, d *Letter, startBy time.Time) error {
	tenant, rest, ok := b.subj.Cut(d.Subject)
	kind, rest, _ := strings.Cut(rest, ".")
	token, name, named := strings.Cut(rest, ".")
	if pool, _ := queue.CutLane(token); !ok || !named || kind != "call" || tenant != d.Tenant || pool != d.Pool {
		return ErrSubject
	}
	msg := &nats.Msg{Subject: d.Subject, Data: d.Data, Header: nats.Header{}}
	if e := d.Call; e != nil {
		again := *e
		again.Copy, again.StartByMS, again.DeadlineMS = true, startBy.UnixMilli(), 0
		data, err := again.Encode()
		if err != nil {
			return err
		}
		// The worker of a lane of its own may be gone.
		msg.Subject, msg.Data = b.subj.Lane(tenant, d.Pool, queue.Quick, name), data
	}
	if d.traceparent != "" {
		msg.Header.Set(queue.HeaderTraceparent, d.traceparent)
	}
	// The id ensures that two requeues of one letter leave one message.
	msg.Header.Set("Nats-Msg-Id", "dead/"+strconv.FormatUint(d.Seq, 10)+"/"+strconv.FormatInt(d.At.UnixNano(), 36))
	switch ack, err := b.conn.JetStream().PublishMsg(ctx, msg); {
	case err != nil:
		return fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	case ack.Duplicate:
		return natsio.ErrExists
	}
	if err := b.Drop(ctx, d.Seq); err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	return nil
}

// Drop removes a dead letter.
func (b *Letters) Drop(ctx context.Context, seq uint64) error {
	stream, err := b.stream(ctx)
	if err != nil {
		return err
	}
	err = stream.DeleteMsg(ctx, seq)
	if api, ok := errors.AsType[*jetstream.APIError](err); ok && api.ErrorCode == jetstream.JSErrCodeMessageNotFound ||
		errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) || errors.Is(err, jetstream.ErrMsgNotFound) {
		return ErrNone
	}
	if err != nil {
		return fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Dead, err)
	}
	return nil
}
