package stream

import (
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// sealBatch is the number of seals that are requested at a time: they are large.
const sealBatch = 32

// Seal is where seal n of a tenant is.
func (s Subjects) Seal(tenant string, n uint64) string {
	return s.Of(tenant, "seal", strconv.FormatUint(n, 10))
}

// WriteSeal stores seal n of a tenant, once. natsio.ErrExists means that one is there,
// which may be this very one if an acknowledgement was lost before.
func (s Store) WriteSeal(ctx context.Context, tenant string, n uint64, data []byte) error {
	err := s.conn.PublishWait(ctx, &nats.Msg{Subject: s.subj.Seal(tenant, n), Data: data})
	return err
}

// Seal returns seal n of a tenant, nil if there is none.
func (s Store) Seal(ctx context.Context, tenant string, n uint64) ([]byte, error) {
	return s.seal(ctx, s.subj.Seal(tenant, n))
}

// LastSeal returns the seal of a tenant that was written last, nil for none.
func (s Store) LastSeal(ctx context.Context, tenant string) ([]byte, error) {
	return s.seal(ctx, s.subj.Of(tenant, "seal", "*"))
}

func (s Store) seal(ctx context.Context, subject string) ([]byte, error) {
	msg, err := s.conn.Last(ctx, streams.Seals, subject)
	if errors.Is(err, natsio.ErrNotStored) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return msg.Data, nil
}

// Seals gives the seals of a tenant with the numbers from and above, in the
// order in which they were written, until each fails; the error is then each's.
func (s Store) Seals(ctx context.Context, tenant string, from uint64, each func(n uint64, data []byte) error) error {
	w := natsio.Walk{Conn: s.conn, Stream: streams.Seals, Filter: s.subj.Of(tenant, "seal", "*"), Batch: sealBatch}
	w.Each = func(msg *nats.Msg, _ *nats.MsgMetadata) error {
		_, last := s.subj.TenantAndLast(msg.Subject)
		n, _ := strconv.ParseUint(last, 10, 64) // 0 is no seal's number
		if n == 0 || n < from {
			return nil
		}
		return each(n, msg.Data)
	}
	return w.Run(ctx)
}
