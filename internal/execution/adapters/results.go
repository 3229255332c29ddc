package adapters

import (
	"context"
	"errors"
	"fmt"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
)

// storeError returns an error of NATS as internal/execution knows it.
func storeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, natsio.ErrExists):
		return fmt.Errorf("%w: %w", execution.ErrExists, err)
	case errors.Is(err, natsio.ErrFull):
		return fmt.Errorf("%w: %w", execution.ErrFull, err)
	}
	return err
}

// Results implements [execution.Results] and [execution.Groups].
type Results struct{ Queue *queue.Queue }

// Encode implements [execution.Results].
func (s Results) Encode(r *protocol.Result) ([]byte, error) { return call.EncodeResult(r) }

// StoreLarge implements [execution.Results].
func (s Results) StoreLarge(ctx context.Context, c *execution.Call, name string, value []byte) (*protocol.ResultRef, error) {
	ref, err := s.Queue.Results.StoreResult(ctx, c.Tenant, c.ID, name, value)
	return ref, storeError(err)
}

// Store implements [execution.Results].
func (s Results) Store(one execution.Ended, done func(error)) {
	f := queue.Finished{Element: one.Result, Record: one.Record, Arguments: one.Arguments, Shared: one.Shared()}
	s.Queue.Results.Finish(one.Call.Tenant, one.Call.Pool, one.Call.Origin, one.Call.ID, f, func(err error) {
		if err == nil {
			err = failpoint.Hit(failpoint.WorkerAfterResult)
		}
		done(storeError(err))
	})
}

// StoreGroup implements [execution.Groups].
func (s Results) StoreGroup(id string, all []execution.Ended, done func(error)) {
	group := make([]queue.GroupedResult, len(all))
	for i, one := range all {
		group[i] = queue.GroupedResult{CallID: one.Call.ID, Element: one.Result, Record: one.Record, Arguments: one.Arguments}
	}
	to := all[0].Call
	s.Queue.Results.FinishGroup(to.Tenant, to.Pool, to.Origin, id, group, func(err error) { done(storeError(err)) })
}

// Groups returns where results are stored together, nil where each is stored by itself.
func Groups(q *queue.Queue) execution.Groups {
	if failpoint.Hit(failpoint.GroupsUsed) != nil {
		return nil
	}
	return Results{q}
}

// GroupRoom implements [execution.Groups].
func (s Results) GroupRoom() int64 { return s.Queue.GroupRoom() }

// Find implements [execution.Results].
func (s Results) Find(ctx context.Context, tenant, pool, callID string) (*execution.Stored, error) {
	var first *queue.Stored
	var err error
	if pool == "" {
		first, err = s.Queue.Results.Result(ctx, tenant, callID)
	} else {
		first, err = s.Queue.Results.ResultOf(ctx, tenant, pool, callID)
	}
	if first == nil || err != nil {
		return nil, err
	}
	el, err := call.DecodeResult(first.Element)
	if err != nil {
		return &execution.Stored{}, nil //nolint:nilerr // it is a result, of no attempt of this version
	}
	return &execution.Stored{Worker: el.Worker, Attempt: el.Attempt}, nil
}
