package data

import (
	"context"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
)

// Schedules implements [api.PersonalData].
func (p Personal) Schedules(ctx context.Context, tenant, user string, limit int, cursor string) (list protocol.ScheduleList, err error) {
	pools, err := p.taskPools(ctx, tenant)
	if err != nil {
		return list, err
	}
	if len(pools) > 1 {
		return list, severalStores(pools, "their tasks cannot be listed together")
	}
	return list, p.Ask(ctx, pools[0], peer.DataRequest{Op: peer.DataTasks, Tenant: tenant, Person: user, Limit: limit, After: cursor},
		nil, nil, &list)
}

// taskPools returns a pool for each database with scheduled tasks.
func (p Personal) taskPools(ctx context.Context, tenant string) ([]string, error) {
	if pool := taskPool(p.Tools); pool != "" {
		return []string{pool}, nil
	}
	return p.pools(ctx, tenant)
}

// taskPool returns the pool of the tools for scheduled tasks; empty if there are none.
func taskPool(tools *catalog.Catalog) string {
	if def, ok := tools.Lookup("create_scheduled_task"); ok {
		return def.Pool
	}
	return ""
}

// SweptPool returns the pool of scheduled tasks, empty while it has no worker: the tools of
// workers that are gone stay in the catalogue.
func SweptPool(tools *catalog.Catalog, workers *fleet.Fleet) string {
	pool := taskPool(tools)
	if len(workers.Live()[pool]) == 0 {
		return ""
	}
	return pool
}

// Schedule implements [api.PersonalData].
func (p Personal) Schedule(ctx context.Context, tenant, user, id string) (s protocol.Schedule, err error) {
	pools, err := p.taskPools(ctx, tenant)
	if err != nil {
		return s, err
	}
	return s, p.Ask(ctx, pools[0], peer.DataRequest{Op: peer.DataTask, Tenant: tenant, Person: user, ID: id}, nil, nil, &s)
}

// DeleteSchedule implements [api.PersonalData].
func (p Personal) DeleteSchedule(ctx context.Context, tenant, user, id string) (protocol.Schedule, error) {
	s, err := p.Schedule(ctx, tenant, user, id)
	if err != nil {
		return s, err
	}
	pools, err := p.taskPools(ctx, tenant)
	if err != nil {
		return s, err
	}
	if err := p.record(ctx, tenant, s.User, "schedules.delete", "the scheduled task "+id+" is deleted"); err != nil {
		return s, err
	}
	if err := p.Ask(ctx, pools[0], peer.DataRequest{Op: peer.DataEndTask, Tenant: tenant, Person: s.User, ID: id}, nil, nil,
		&s); err != nil {
		return s, err
	}
	return s, p.Queue.Timers.ForgetTask(ctx, timers.Task{Tenant: tenant, Pool: pools[0], Person: s.User, ID: id})
}
