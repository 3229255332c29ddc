package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/events"
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

// results implements [execution.Results] and [execution.Groups].
type results struct{ queue *queue.Queue }

// Encode implements [execution.Results].
func (s results) Encode(r *protocol.Result) ([]byte, error) { return call.EncodeResult(r) }

// StoreLarge implements [execution.Results].
func (s results) StoreLarge(ctx context.Context, c *execution.Call, name string, value []byte) (*protocol.ResultRef, error) {
	ref, err := s.queue.Results.StoreResult(ctx, c.Tenant, c.ID, name, value)
	return ref, storeError(err)
}

// Store implements [execution.Results].
func (s results) Store(one execution.Ended, done func(error)) {
	f := queue.Finished{Element: one.Result, Record: one.Record, Arguments: one.Arguments, Shared: one.Shared()}
	s.queue.Results.Finish(one.Call.Tenant, one.Call.Pool, one.Call.Origin, one.Call.ID, f, func(err error) {
		if err == nil {
			err = failpoint.Hit(failpoint.WorkerAfterResult)
		}
		done(storeError(err))
	})
}

// StoreGroup implements [execution.Groups].
func (s results) StoreGroup(id string, all []execution.Ended, done func(error)) {
	group := make([]queue.GroupedResult, len(all))
	for i, one := range all {
		group[i] = queue.GroupedResult{CallID: one.Call.ID, Element: one.Result, Record: one.Record, Arguments: one.Arguments}
	}
	to := all[0].Call
	s.queue.Results.FinishGroup(to.Tenant, to.Pool, to.Origin, id, group, func(err error) { done(storeError(err)) })
}

// groupsOf returns where results are stored together, nil where each is stored by itself.
func groupsOf(q *queue.Queue) execution.Groups {
	if failpoint.Hit(failpoint.GroupsUsed) != nil {
		return nil
	}
	return results{q}
}

// GroupRoom implements [execution.Groups].
func (s results) GroupRoom() int64 { return s.queue.GroupRoom() }

// Find implements [execution.Results].
func (s results) Find(ctx context.Context, tenant, pool, callID string) (*execution.Stored, error) {
	var first *queue.Stored
	var err error
	if pool == "" {
		first, err = s.queue.Results.Result(ctx, tenant, callID)
	} else {
		first, err = s.queue.Results.ResultOf(ctx, tenant, pool, callID)
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

// auditWriter implements [execution.Records].
type auditWriter struct{ trail trail.Writer }

// Encode implements [execution.Records].
func (s auditWriter) Encode(r *protocol.AuditRecord) ([]byte, error) { return s.trail.Encode(r) }

// Send implements [execution.Records].
func (s auditWriter) Send(r *protocol.AuditRecord, done func(error)) {
	s.trail.Send(r, func(err error) {
		if errors.Is(err, natsio.ErrFull) {
			err = fmt.Errorf("%w: %w", execution.ErrFull, trail.Refusal(err))
		}
		done(err)
	})
}

// Summary implements [execution.Records].
func (s auditWriter) Summary(result []byte) string { return audit.Summarize(result) }

// fences implements [execution.Fences].
type fences struct{ queue *queue.Queue }

// Read implements [execution.Fences].
func (s fences) Read(ctx context.Context, tenant, callID string) (*call.Fence, error) {
	return s.queue.Calls.Fenced(ctx, tenant, callID)
}

// Write implements [execution.Fences].
func (s fences) Write(ctx context.Context, tenant, callID string, f call.Fence) (*call.Fence, error) {
	f.AtMS = time.Now().UnixMilli()
	first, err := s.queue.Calls.Fence(ctx, tenant, callID, f)
	return first, storeError(err)
}

// owners implements [execution.Owners].
type owners struct {
	queue     *queue.Queue
	placement *placement
}

// Elsewhere implements [execution.Owners].
func (s owners) Elsewhere(ctx context.Context, tenant, callID string) execution.Ownership {
	switch h := s.queue.Owners.FindOther(ctx, tenant, callID); {
	case h == nil:
		return execution.NotElsewhere
	case h.State == protocol.StateDone:
		return execution.FinishedElsewhere
	}
	return execution.RunningElsewhere
}

// Lost implements [execution.Owners]. A worker announces the calls that it runs every two
// seconds; of a call that was lost before, all workers of its pool that are gone since it was
// accepted may have had it.
func (s owners) Lost(ctx context.Context, c *execution.Call) (workers []string, certain bool) {
	live := s.placement.fleet.Live()
	every := map[string]bool{}
	for _, pool := range live {
		for _, w := range pool {
			every[w.ID] = true
		}
	}
	answers := s.queue.Owners.Clocks(ctx, len(every))
	answered := func(id string) bool {
		_, ok := answers[id]
		return ok || id == s.queue.Conn.ID()
	}
	if ran := slices.DeleteFunc(s.placement.fleet.Ran(c.Tenant, c.ID), answered); len(ran) > 0 {
		return ran, true
	}
	suspects := slices.DeleteFunc(live.InPool(c.Pool), answered)
	for _, l := range s.placement.fleet.Lost() {
		if slices.Contains(l.Pools, c.Pool) && l.At.After(c.Accepted()) {
			suspects = append(suspects, l.ID)
		}
	}
	slices.Sort(suspects)
	return slices.Compact(suspects), false
}

// eventPublisher implements [execution.Events].
type eventPublisher struct{ queue *queue.Queue }

// Publish implements [execution.Events].
func (s eventPublisher) Publish(at time.Time, c *execution.Call, kind string, data []byte) {
	s.queue.Events.TellAt(at, events.AboutCall(c.Call), kind, data)
}

// storage implements [execution.Storage].
type storage struct{ queue *queue.Queue }

// Shortage implements [execution.Storage].
func (s storage) Shortage() execution.Shortage {
	switch short := s.queue.Held(); {
	case short == nil:
		return execution.NoShortage
	case short.Silent():
		return execution.Silent
	}
	return execution.Full
}
