package audits

import (
	"context"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// groups finds results that are stored together with others, by the audit index. It
// implements [results.Index].
type groups struct{ *Auditor }

// Groups returns the index of results in groups, nil where each result is stored by itself.
func (a *Auditor) Groups() results.Index {
	if failpoint.Hit(failpoint.GroupsUsed) != nil {
		return nil
	}
	return groups{a}
}

// Find implements [results.Index].
func (g groups) Find(ctx context.Context, tenant, callID string, upTo uint64, await bool) ([]uint64, error) {
	places, known, err := g.look(ctx, tenant, callID)
	if known || err != nil || !await {
		return places, err
	}
	if err := stream.On(g.queue.Conn).AwaitWrittenTo(ctx, upTo); err != nil {
		return nil, err
	}
	_, last, _, err := stream.On(g.queue.Conn).Range(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.index.Wait(ctx, last); err != nil {
		return nil, err
	}
	places, _, err = g.look(ctx, tenant, callID)
	return places, err
}

// Over implements [results.Index].
func (g groups) Over(ctx context.Context, tenant, callID string) (bool, error) {
	_, over, err := g.look(ctx, tenant, callID)
	return over, err
}

// look returns the places of the groups that the index has of a call, and whether it has
// the final record of any result.
func (g groups) look(ctx context.Context, tenant, callID string) (places []uint64, known bool, err error) {
	finals, err := g.index.Finals(ctx, tenant, callID)
	for i := range finals {
		if seq := finals[i].ResultSeq; seq != 0 {
			places = append(places, seq)
		}
	}
	return places, len(finals) > 0, err
}
