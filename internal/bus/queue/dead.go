package queue

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
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

// DeadLetter is a message of a pool's queue that a worker could not read.
type DeadLetter struct {
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

// ErrNoLetter means that there is no dead letter of that number in the tenant.
var ErrNoLetter = errors.New("no such dead letter")

// headerSubject is the header of a dead letter with the subject it was queued under.
const headerSubject = "Helve-Subject"

// Dead returns the first dead letter of a tenant at the place from or later.
func (b *Calls) Dead(ctx context.Context, tenant string, from uint64) (*DeadLetter, error) {
	return b.dead(ctx, max(from, 1), jetstream.WithGetMsgSubject(b.subj.Dead(tenant, "*")))
}

// DeadAt returns one dead letter of a tenant.
func (b *Calls) DeadAt(ctx context.Context, tenant string, seq uint64) (*DeadLetter, error) {
	d, err := b.dead(ctx, seq)
	if err == nil && d.Tenant != tenant {
		return nil, ErrNoLetter
	}
	return d, err
}

func (b *Calls) dead(ctx context.Context, seq uint64, opts ...jetstream.GetMsgOpt) (*DeadLetter, error) {
	stream, err := b.deadStream(ctx)
	if err != nil {
		return nil, err
	}
	msg, err := stream.GetMsg(ctx, seq, opts...)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, ErrNoLetter
	case err != nil:
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Dead, err)
	}
	d := &DeadLetter{
		Seq: msg.Sequence, At: msg.Time, Reason: msg.Header.Get(headerReason), Subject: msg.Header.Get(headerSubject),
		Data: msg.Data, traceparent: msg.Header.Get(headerTraceparent),
	}
	d.Tenant, d.Pool = b.subj.TenantAndLast(msg.Subject)
	if e, err := call.Decode(d.Data); err == nil {
		d.Call = e
	}
	return d, nil
}

func (b *Calls) deadStream(ctx context.Context) (jetstream.Stream, error) {
	stream, err := b.conn.JetStream().Stream(ctx, streams.Dead)
	if err != nil {
		return nil, fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Dead, err)
	}
	return stream, nil
}

// ErrLetterSubject means that a dead letter names a subject that is not one of its own
// pool's queue. A worker wrote it, so it may name anything.
var ErrLetterSubject = errors.New("it does not name a subject in the queue of its own pool")

// Requeue puts a dead letter on its pool's queue again and removes it. A call that can be
// read gets until startBy to start, and workers look for earlier attempts of it.
// natsio.ErrExists means that another process has requeued the letter.
func (b *Calls) Requeue(ctx context.Context, d *DeadLetter, startBy time.Time) error {
	tenant, rest, ok := b.subj.Cut(d.Subject)
	kind, rest, _ := strings.Cut(rest, ".")
	token, name, named := strings.Cut(rest, ".")
	if pool, _ := cutLane(token); !ok || !named || kind != "call" || tenant != d.Tenant || pool != d.Pool {
		return ErrLetterSubject
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
		msg.Subject, msg.Data = b.subj.Lane(tenant, d.Pool, Quick, name), data
	}
	if d.traceparent != "" {
		msg.Header.Set(headerTraceparent, d.traceparent)
	}
	// The id ensures that two requeues of one letter leave one message.
	msg.Header.Set("Nats-Msg-Id", "dead/"+strconv.FormatUint(d.Seq, 10)+"/"+strconv.FormatInt(d.At.UnixNano(), 36))
	switch ack, err := b.conn.JetStream().PublishMsg(ctx, msg); {
	case err != nil:
		return fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	case ack.Duplicate:
		return natsio.ErrExists
	}
	if err := b.DropDead(ctx, d.Seq); err != nil && !errors.Is(err, ErrNoLetter) {
		return err
	}
	return nil
}

// DropDead removes a dead letter.
func (b *Calls) DropDead(ctx context.Context, seq uint64) error {
	stream, err := b.deadStream(ctx)
	if err != nil {
		return err
	}
	err = stream.DeleteMsg(ctx, seq)
	if api, ok := errors.AsType[*jetstream.APIError](err); ok && api.ErrorCode == jetstream.JSErrCodeMessageNotFound ||
		errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) || errors.Is(err, jetstream.ErrMsgNotFound) {
		return ErrNoLetter
	}
	if err != nil {
		return fmt.Errorf("%w: stream %s: %w", natsio.ErrUnavailable, streams.Dead, err)
	}
	return nil
}
