package data

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

const (
	// eraseLease is the right to delete the data of a person: a deletion rewrites the
	// whole database, so there is one at a time.
	eraseLease    = "data-delete"
	eraseLeaseTTL = 15 * time.Second
	// eraseWait bounds how long a deletion waits for another one.
	eraseWait = 8 * time.Second
	// eraseTime bounds a deletion.
	eraseTime = 30 * time.Minute
	// writtenWait bounds how long a deletion waits until the records of results are on
	// the trail.
	writtenWait = 10 * time.Second
)

// Delete implements [api.PersonalData]. The rows of tasks go before their timers, so that
// no timer is set again; the results of calls go last, since the calls of the other steps
// end before.
func (p Personal) Delete(ctx context.Context, tenant, user string) (done protocol.DataDeleted, err error) {
	ctx, cancel := context.WithTimeout(ctx, eraseTime)
	defer cancel()
	pools, err := p.pools(ctx, tenant)
	if err != nil {
		return done, err
	}
	err = p.alone(ctx, func(ctx context.Context) error {
		if err := p.record(ctx, tenant, user, "data.delete", "all data of the person is deleted"); err != nil {
			return err
		}
		if done.CustomTools, err = p.customTools(ctx, tenant, user); err != nil {
			return err
		}
		if done.Grants, err = p.allGrants(ctx, tenant, user); err != nil {
			return err
		}
		if done.Services, err = p.Accounts.DeleteAll(ctx, tenant, user); err != nil {
			return err
		}
		if err := p.Devices.Forget(ctx, tenant, user); err != nil {
			return err
		}
		for _, pool := range pools {
			var part protocol.DataDeleted
			if err := p.Ask(ctx, pool, peer.DataRequest{Op: peer.DataDelete, Tenant: tenant, Person: user}, nil, nil, &part); err != nil {
				return err
			}
			done.Items, done.CallResults = done.Items+part.Items, done.CallResults+part.CallResults
		}
		if err := p.Queue.Timers.Forget(ctx, tenant, user); err != nil {
			return err
		}
		if err := callbacks.On(p.Queue).Erase(ctx, tenant, user); err != nil {
			return err
		}
		if err := p.Programs.Erase(ctx, tenant, user); err != nil {
			return err
		}
		var last uint64
		if done.Results, done.Left, last, err = p.results(ctx, tenant, user); err != nil {
			return err
		}
		done.KeptCalls, err = p.keptCalls(ctx, tenant, user, last, &done.Left)
		return err
	})
	return done, err
}

var errErasing = &api.RequestError{Type: "conflict", Status: http.StatusConflict, Msg: "another deletion runs; try again when it is done"}

// alone runs do while no other process deletes the data of a person.
func (p Personal) alone(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	impatient := time.AfterFunc(eraseWait, func() { cancel(errErasing) })
	began, result := false, error(nil)
	err := p.Queue.Conn.Lease(ctx, eraseLease, eraseLeaseTTL, func(ctx context.Context) error {
		if !impatient.Stop() || began {
			return nil // too late, or again after the lease was lost
		}
		began, result = true, do(ctx)
		return nil
	})
	switch {
	case began:
		return result
	case err == nil:
		return errErasing
	}
	return err
}

// customTools deletes the tools that a person made, and takes back shared versions of
// tools of the person that were deleted before.
func (p Personal) customTools(ctx context.Context, tenant, user string) (n int, err error) {
	all, err := p.Custom.All(ctx, tenant)
	if err != nil {
		return 0, err
	}
	for _, f := range all {
		if f.Tool.Owner == user && !f.Place.Shared {
			if err := p.Custom.Delete(ctx, tenant, user, f.Tool.Name); err != nil {
				return n, fmt.Errorf("delete the custom tools: %w", err)
			}
			n++
		}
	}
	if all, err = p.Custom.All(ctx, tenant); err != nil {
		return n, err
	}
	for _, f := range all {
		if f.Tool.Owner == user && f.Place.Shared {
			if err := p.Custom.Unshare(ctx, tenant, f.Tool.Name); err != nil {
				return n, fmt.Errorf("take the shared tools back: %w", err)
			}
			n++
		}
	}
	return n, nil
}

// allGrants revokes the grants of a person.
func (p Personal) allGrants(ctx context.Context, tenant, user string) (n int, err error) {
	list, err := p.Grants.List(ctx, tenant, user)
	if err != nil {
		return 0, err
	}
	for _, g := range list {
		if g.User != user {
			continue
		}
		if err := p.Grants.Revoke(ctx, tenant, g.ID, identity.Of(ctx)); err != nil {
			return n, fmt.Errorf("revoke the grants: %w", err)
		}
		n++
	}
	return n, nil
}

// results removes the stored results of a person's calls whose records are on the trail,
// and returns what is left, and the place of the last result.
func (p Personal) results(ctx context.Context, tenant, user string) (n int, left []string, last uint64, err error) {
	left = []string{
		"requests for consent with their calls, until consent.ttl and streams.results_max_age have passed and one hour more",
		"calls that still wait or run, until they have ended, and their results, until streams.results_max_age has passed",
	}
	last, err = p.Queue.Results.Last(ctx)
	if err != nil {
		return 0, left, 0, err
	}
	written, cancel := context.WithTimeout(ctx, writtenWait)
	defer cancel()
	switch err := stream.On(p.Queue.Conn).AwaitWrittenTo(written, last); {
	case ctx.Err() != nil:
		return 0, left, last, err
	case err != nil && last > 0:
		p.Log.Warn("results of a person not removed: their records are not on the audit trail yet", zap.String("tenant", tenant), zap.Error(err))
		return 0, append(left, "results of calls in NATS, until streams.results_max_age has passed: their records were not on the audit trail "+
			"yet; delete again to remove them"), last, nil
	}
	done, err := p.Queue.Results.Erase(ctx, tenant, user, last)
	if done.Shared > 0 {
		left = append(left,
			fmt.Sprintf("%d messages with results of this person and of others, until streams.results_max_age has passed", done.Shared))
	}
	return done.Results, left, last, err
}

// keptCalls removes the calls of a person from the history, once those are in it whose results
// were stored up to a place. What stays is added to left.
func (p Personal) keptCalls(ctx context.Context, tenant, user string, last uint64, left *[]string) (int, error) {
	results, err := stream.On(p.Queue.Conn).ResultsStream(ctx)
	if err != nil {
		return 0, err
	}
	history := kept.On(p.Queue.Conn)
	bounded, cancel := context.WithTimeout(ctx, writtenWait)
	defer cancel()
	if err := history.Await(bounded, results, last); err != nil {
		if ctx.Err() != nil {
			return 0, err
		}
		p.Log.Warn("calls of a person may be kept later", zap.String("tenant", tenant), zap.Error(err))
		*left = append(*left, "calls of the last seconds that are not in the history yet, until history.keep has passed; "+
			"delete again to remove them")
	}
	return history.Erase(ctx, tenant, user)
}
