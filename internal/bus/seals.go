package bus

import (
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go"
)

// sealBatch is how many seals are asked for at a time: they are large.
const sealBatch = 32

// Seal is where seal n of a tenant is.
func (s Subjects) Seal(tenant string, n uint64) string {
	return s.of(tenant, "seal", strconv.FormatUint(n, 10))
}

// WriteSeal stores seal n of a tenant, once. ErrExists means that one is there,
// which may be this very one if an acknowledgement was lost before.
func (b *Bus) WriteSeal(ctx context.Context, tenant string, n uint64, data []byte) error {
	err := b.publishWait(ctx, &nats.Msg{Subject: b.subj.Seal(tenant, n), Data: data})
	return err
}

// Seal returns seal n of a tenant, nil if there is none.
func (b *Bus) Seal(ctx context.Context, tenant string, n uint64) ([]byte, error) {
	return b.seal(ctx, b.subj.Seal(tenant, n))
}

// LastSeal returns the seal of a tenant that was written last, nil for none.
func (b *Bus) LastSeal(ctx context.Context, tenant string) ([]byte, error) {
	return b.seal(ctx, b.subj.of(tenant, "seal", "*"))
}

func (b *Bus) seal(ctx context.Context, subject string) ([]byte, error) {
	msg, err := b.last(ctx, StreamSeals, subject)
	if errors.Is(err, errNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return msg.Data, nil
}

// Seals gives the seals of a tenant with the numbers from and above, in the
// order in which they were written, until each fails; the error is then each's.
func (b *Bus) Seals(ctx context.Context, tenant string, from uint64, each func(n uint64, data []byte) error) error {
	w := walk{bus: b, stream: StreamSeals, filter: b.subj.of(tenant, "seal", "*"), batch: sealBatch}
	w.each = func(msg *nats.Msg, _ *nats.MsgMetadata) error {
		_, last := b.subj.tenantAndLast(msg.Subject)
		n, _ := strconv.ParseUint(last, 10, 64) // 0 is no seal's number
		if n == 0 || n < from {
			return nil
		}
		return each(n, msg.Data)
	}
	return w.run(ctx)
}
