package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/protocol"
)

// Groups finds results in groups.
type Groups interface {
	// Find returns the places of the groups that hold a result of a call, of a worker of
	// whatever pool. With await it first makes sure that the index has the results up to
	// a place, or all that are stored if that is 0, unless it finds one before.
	Find(ctx context.Context, tenant, callID string, upTo uint64, await bool) ([]uint64, error)
}

// search selects the places in which a result is searched.
type search uint8

const (
	// lone: among results that are stored by themselves. It is enough for calls of which no
	// result is stored in a group.
	lone search = iota
	// alone: among results that are stored by themselves, and those that callers were
	// told here.
	alone
	// indexed: also in groups that the index has.
	indexed
	// everywhere: in all groups. It waits until the index has them.
	everywhere
)

// of returns the search for a result of a call with that acceptance, which may be nil.
func (s search) of(rec *queue.Acceptance) search {
	if rec != nil && rec.Lone {
		return lone
	}
	return s
}

// awaitIndex bounds a search that waits for the index.
const awaitIndex = 2 * time.Second

// stored returns the result of a call that was queued for pool, or for any pool if that is
// empty; nil if there is none. A result that is stored by itself counts only if no group
// holds an earlier one, so where that may be the index is asked, whatever the search. An
// index that is away or behind is an error.
func (d *Dispatcher) stored(ctx context.Context, tenant, pool, callID string, s search) (*queue.Stored, error) {
	var single *queue.Stored
	var err error
	if pool == "" {
		single, err = d.Queue.Results.Result(ctx, tenant, callID)
	} else {
		single, err = d.Queue.Results.ResultOf(ctx, tenant, pool, callID)
	}
	if err != nil || d.Groups == nil || s == lone || single != nil && !single.Shared {
		return single, err
	}
	if pool == "" {
		rec, err := d.Queue.Calls.Accepted(ctx, tenant, callID)
		if err != nil || rec != nil && rec.Lone {
			return single, err
		}
	}
	var upTo uint64
	if single != nil {
		upTo, s = single.Seq, everywhere
	}
	if seq, ok := d.inbox.Answered(tenant, callID); ok {
		if single != nil && single.Seq == seq {
			return single, nil
		}
		if got, err := d.Queue.Results.ResultAt(ctx, tenant, callID, seq); err != nil || got != nil {
			return got, err
		}
	}
	if s == alone {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, awaitIndex)
	defer cancel()
	places, err := d.Groups.Find(ctx, tenant, callID, upTo, s == everywhere)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errIndex, err)
	}
	grouped, err := d.grouped(ctx, tenant, pool, callID, places)
	if grouped != nil || err != nil {
		return grouped, err
	}
	return single, nil
}

// grouped returns the first result of a call at one of the places that a worker of its
// pool stored.
func (d *Dispatcher) grouped(ctx context.Context, tenant, pool, callID string, places []uint64) (*queue.Stored, error) {
	if len(places) > 0 && pool == "" {
		rec, err := d.Queue.Calls.Accepted(ctx, tenant, callID)
		if err != nil {
			return nil, err
		}
		if rec != nil {
			pool = rec.Pool
		}
	}
	for _, seq := range places {
		got, err := d.Queue.Results.ResultAt(ctx, tenant, callID, seq)
		if err != nil || got != nil && (pool == "" || got.Pool == pool) {
			return got, err
		}
	}
	return nil, nil
}

// heldDone answers a worker that asks whether a call it was given again has a result in a
// group.
func (d *Dispatcher) heldDone(tenant, callID string) *queue.Owner {
	ctx, cancel := context.WithTimeout(context.Background(), awaitIndex)
	defer cancel()
	if d.Groups == nil {
		return nil
	}
	if got, err := d.stored(ctx, tenant, "", callID, indexed); got == nil || err != nil {
		return nil
	}
	return &queue.Owner{State: protocol.StateDone, By: d.Queue.Conn.ID()}
}

// errIndex means that the index of results in groups could not be read, or is behind.
var errIndex = errors.New("results in groups cannot be searched")

// unindexed reports whether err is of a search in groups.
func unindexed(err error) bool { return errors.Is(err, errIndex) }

// unread is the error for a result that could not be read.
func unread(err error) *Error {
	e := unavailable()
	if !errors.Is(err, natsio.ErrUnavailable) {
		e.Msg = "the audit index, which knows where results are stored, cannot be read now or is behind; ask again, and if that lasts tell the " +
			"operator to look at the dispatcher's health"
	}
	return e
}
