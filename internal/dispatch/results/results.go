package results

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// Index finds results in groups.
type Index interface {
	// Find returns the places of the groups that hold a result of a call, of a worker of
	// whatever pool. With await it first makes sure that the index has the results up to
	// a place, or all that are stored if that is 0, unless it finds one before.
	Find(ctx context.Context, tenant, callID string, upTo uint64, await bool) ([]uint64, error)
	// Over reports whether the index has the final record of a call, whose result may have
	// expired.
	Over(ctx context.Context, tenant, callID string) (bool, error)
}

// Results finds the results of calls and waits for them. It is safe for concurrent use.
type Results struct {
	queue *queue.Queue
	inbox *queue.Inbox
	index Index
}

// Open subscribes to the results of the calls that this process accepts. Ended is called for
// each of them. Without an index, which is nil, no result of these calls is stored in a group.
func Open(q *queue.Queue, index Index, ended func(tenant, callID string)) (*Results, error) {
	inbox, err := q.Results.OpenInbox(ended)
	return &Results{q, inbox, index}, err
}

// Inbox returns the subscription.
func (r *Results) Inbox() *queue.Inbox { return r.inbox }

// Over reports whether a call has ended, as far as it is known now, though its result may have
// expired.
func (r *Results) Over(ctx context.Context, tenant, callID string) (bool, error) {
	if r.index == nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, awaitIndex)
	defer cancel()
	over, err := r.index.Over(ctx, tenant, callID)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrBehind, err)
	}
	return over, nil
}

// ErrBehind means that results in groups cannot be searched now.
var ErrBehind = errors.New("results in groups cannot be searched")

// Find returns the stored result of a call as far as it is known now, nil if there is none.
func (r *Results) Find(ctx context.Context, ref Ref) (*queue.Stored, error) {
	return r.find(ctx, ref, indexed)
}

// FindLatest is [Results.Find] among all results that are stored when it is called. It may
// wait until they are known.
func (r *Results) FindLatest(ctx context.Context, ref Ref) (*queue.Stored, error) {
	return r.find(ctx, ref, everywhere)
}

// First returns the result of a call of which this process has just stored one: that one, or
// an earlier one in a group.
func (r *Results) First(ctx context.Context, ref Ref, element []byte) ([]byte, error) {
	if r.index == nil || ref.single {
		return element, nil
	}
	first, err := r.FindLatest(ctx, ref)
	if first == nil || err != nil {
		return nil, err
	}
	return first.Element, nil
}

// CatchUp waits until all results of a tenant that are stored now are known, as a search for
// a call that does not exist must.
func (r *Results) CatchUp(ctx context.Context, tenant string) error {
	if r.index == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, awaitIndex)
	defer cancel()
	_, err := r.index.Find(ctx, tenant, noCall, 0, true)
	return err
}

// noCall is the id of no call.
const noCall = ""

// Done answers a worker that asks whether a call it was given again has a result that it
// cannot read, one in a group; nil means that it is not known.
func (r *Results) Done(tenant, callID string) *call.Owner {
	if r.index == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), awaitIndex)
	defer cancel()
	if got, err := r.Find(ctx, Named(tenant, callID)); got == nil || err != nil {
		return nil
	}
	return &call.Owner{State: protocol.StateDone, By: r.queue.Conn.ID()}
}

// depth selects the places in which a result is searched.
type depth uint8

const (
	// told: among results that are stored by themselves, and those that callers were told
	// here.
	told depth = iota
	// indexed: also in groups that the index has.
	indexed
	// everywhere: in all groups. It waits until the index has them.
	everywhere
)

// awaitIndex bounds a search that waits for the index.
const awaitIndex = 2 * time.Second

// find returns the result of a call. A result that is stored by itself counts only if no group
// holds an earlier one, so where that may be the index is asked, whatever the depth.
func (r *Results) find(ctx context.Context, ref Ref, d depth) (*queue.Stored, error) {
	var single *queue.Stored
	var err error
	if ref.Pool == "" {
		single, err = r.queue.Results.Result(ctx, ref.Tenant, ref.CallID)
	} else {
		single, err = r.queue.Results.ResultOf(ctx, ref.Tenant, ref.Pool, ref.CallID)
	}
	if err != nil || r.index == nil || ref.single || single != nil && !single.Shared {
		return single, err
	}
	if ref.Pool == "" {
		rec, err := r.queue.Calls.Accepted(ctx, ref.Tenant, ref.CallID)
		if err != nil || rec != nil && rec.Lone {
			return single, err
		}
	}
	var upTo uint64
	if single != nil {
		upTo, d = single.Seq, everywhere
	}
	if seq, ok := r.inbox.Answered(ref.Tenant, ref.CallID); ok {
		if single != nil && single.Seq == seq {
			return single, nil
		}
		if got, err := r.queue.Results.ResultAt(ctx, ref.Tenant, ref.CallID, seq); err != nil || got != nil {
			return got, err
		}
	}
	if d == told {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, awaitIndex)
	defer cancel()
	places, err := r.index.Find(ctx, ref.Tenant, ref.CallID, upTo, d == everywhere)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBehind, err)
	}
	grouped, err := r.first(ctx, ref, places)
	if grouped != nil || err != nil {
		return grouped, err
	}
	return single, nil
}

// first returns the first result of a call at one of the places that a worker of its pool
// stored.
func (r *Results) first(ctx context.Context, ref Ref, places []uint64) (*queue.Stored, error) {
	pool := ref.Pool
	if len(places) > 0 && pool == "" {
		rec, err := r.queue.Calls.Accepted(ctx, ref.Tenant, ref.CallID)
		if err != nil {
			return nil, err
		}
		if rec != nil {
			pool = rec.Pool
		}
	}
	for _, seq := range places {
		got, err := r.queue.Results.ResultAt(ctx, ref.Tenant, ref.CallID, seq)
		if err != nil || got != nil && (pool == "" || got.Pool == pool) {
			return got, err
		}
	}
	return nil, nil
}
