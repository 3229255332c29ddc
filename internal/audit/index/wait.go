package index

import (
	"context"
	"time"
)

// pollEvery is the interval at which Wait polls: about as often as records are written.
const pollEvery = 10 * time.Millisecond

// Wait returns when queries can find the records of the messages up to seq, or with the
// error of ctx. It reads the database, so it works in a process that does not copy.
func (x *Index) Wait(ctx context.Context, seq uint64) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if at, err := x.copied(ctx); err == nil && at >= seq {
			return nil
		}
		select {
		case x.hurry <- struct{}{}: // the copying process need not batch any longer
		default:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// copied returns the place in the stream up to which messages were copied.
func (x *Index) copied(ctx context.Context) (at uint64, err error) {
	err = x.read(ctx, func(t *tx) error {
		c, err := t.cursor(ctx)
		at = c.seq
		return err
	})
	return at, err
}
