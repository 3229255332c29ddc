package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// A call_id can be accepted again after an acceptance that was taken back, because the
// queue had no room for the call. Once-only records cannot be removed, so each acceptance
// of one call_id has a generation, and a separate record takes it back. Nearly all calls
// have generation 0 only.

// mostGenerations bounds how often one call_id is accepted.
const mostGenerations = 64

// released marks an acceptance that was taken back.
type released struct {
	By string `json:"by"`
}

// generation returns the name of a generation of a call_id. No call_id contains the
// separator.
func generation(callID string, n int) string {
	if n == 0 {
		return callID
	}
	return callID + "=" + strconv.Itoa(n)
}

// Accept stores the acceptance of a call and returns it. natsio.ErrExists means that the
// call_id is taken; the record that holds it is returned.
func (b *Calls) Accept(ctx context.Context, tenant, callID string, rec Acceptance) (*Acceptance, error) {
	for n := range mostGenerations {
		rec.Generation = n
		got, err := natsio.WriteOnce(ctx, b.conn, streams.Once, b.subj.Once(tenant, generation(callID, n), onceAccepted), rec)
		if !errors.Is(err, natsio.ErrExists) {
			return got, err
		}
		back, err := b.takenBack(ctx, tenant, callID, n)
		if err != nil {
			return nil, err
		}
		if !back {
			return got, natsio.ErrExists
		}
	}
	return nil, fmt.Errorf("%w: the call_id was refused %d times", natsio.ErrFull, mostGenerations)
}

// Accepted returns the valid acceptance of a call, or nil if there is none.
func (b *Calls) Accepted(ctx context.Context, tenant, callID string) (*Acceptance, error) {
	return b.accepted(ctx, tenant, callID)
}

func (b *core) accepted(ctx context.Context, tenant, callID string) (*Acceptance, error) {
	for n := range mostGenerations {
		rec, err := natsio.ReadOnce[Acceptance](ctx, b.conn, streams.Once, b.subj.Once(tenant, generation(callID, n), onceAccepted))
		if rec == nil || err != nil {
			return nil, err
		}
		back, err := b.takenBack(ctx, tenant, callID, n)
		if err != nil {
			return nil, err
		}
		if !back {
			return rec, nil
		}
	}
	return nil, nil
}

// Release takes back an acceptance whose call is certainly not queued.
func (b *Calls) Release(ctx context.Context, tenant, callID string, rec *Acceptance) error {
	_, err := natsio.WriteOnce(ctx, b.conn, streams.Once, b.subj.Once(tenant, generation(callID, rec.Generation), onceReleased),
		released{By: b.conn.ID()})
	if errors.Is(err, natsio.ErrExists) {
		return nil
	}
	return err
}

func (b *core) takenBack(ctx context.Context, tenant, callID string, n int) (bool, error) {
	rec, err := natsio.ReadOnce[released](ctx, b.conn, streams.Once, b.subj.Once(tenant, generation(callID, n), onceReleased))
	return rec != nil, err
}
