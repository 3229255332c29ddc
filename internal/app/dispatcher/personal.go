package dispatcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/dispatch/schedule"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// personal implements [api.PersonalData]. A dispatcher has no database: a worker does the
// work, in a conversation over NATS ([peer.Data]). Usually one pool holds all personal
// data; if pools have databases of their own, each is asked.
type personal struct {
	queue *queue.Queue
	tools *catalog.Catalog
	trail trail.Writer
	erase eraser
	// services has the accounts of persons.
	services services
	// sweep is called after an import, which may bring tasks that need timers.
	sweep func()
}

// openPersonal returns the operations on personal data.
func openPersonal(q *queue.Queue, tools *catalog.Catalog, t trail.Writer, s *schedule.Sweeper, e eraser, accounts services) personal {
	return personal{queue: q, tools: tools, trail: t, erase: e, sweep: s.Sweep, services: accounts}
}

// helloTime bounds the search for a worker.
const helloTime = 5 * time.Second

// pools returns a pool for each database of personal data.
func (p personal) pools(ctx context.Context, tenant string) (pools []string, err error) {
	all := poolsOf(p.tools)
	if len(all) == 0 {
		return nil, noWorker("")
	}
	stores := map[string]bool{}
	for _, pool := range all {
		hello, cancel := context.WithTimeout(ctx, helloTime)
		a, err := p.queue.Data.Ask(hello, pool, peer.DataRequest{Op: peer.DataHello, Tenant: tenant}, nil, nil)
		cancel()
		if err != nil {
			return nil, answerError(ctx, err, pool)
		}
		if !stores[a.Store] {
			stores[a.Store] = true
			pools = append(pools, pool)
		}
	}
	return pools, nil
}

// poolsOf returns the pools whose tools keep personal data, sorted.
func poolsOf(tools *catalog.Catalog) (pools []string) {
	for _, def := range tools.All() {
		if def.Transactional && !slices.Contains(pools, def.Pool) {
			pools = append(pools, def.Pool)
		}
	}
	slices.Sort(pools)
	return pools
}

func noWorker(pool string) error {
	if pool != "" {
		pool = " of pool " + pool
	}
	err := api.Unavailable("no worker%s that holds personal data answers; start one, or use \"helve data\" on the machine with the database",
		pool)
	err.RetryAfter = time.Second
	return err
}

// answerError returns the error of a conversation as callers see it.
func answerError(ctx context.Context, err error, pool string) error {
	if errors.Is(err, natsio.ErrUnavailable) && ctx.Err() == nil {
		return noWorker(pool)
	}
	return err
}

// ask has a worker of a pool answer, and decodes the result into v unless that is nil.
func (p personal) ask(ctx context.Context, pool string, r peer.DataRequest, in io.Reader, out io.Writer, v any) error {
	a, err := p.queue.Data.Ask(ctx, pool, r, in, out)
	switch {
	case err != nil:
		return answerError(ctx, err, pool)
	case a.Kind != "":
		return refusal(a)
	case v == nil:
		return nil
	}
	return json.Unmarshal(a.Result, v)
}

// refusal returns the failure that a worker reports.
func refusal(a peer.DataAnswer) error {
	switch tool.Kind(a.Kind) {
	case tool.ValidationError:
		return api.BadRequest("%s", a.Message)
	case tool.NotFound:
		return api.NotFound("%s", a.Message)
	case tool.Overloaded, tool.NotConfigured, tool.Unsupported:
		return api.Unavailable("%s", a.Message)
	case tool.RateLimited:
		return &api.RequestError{Type: "overloaded", Status: http.StatusTooManyRequests, Msg: a.Message}
	default:
	}
	return fmt.Errorf("a worker failed: %s: %.300s", a.Kind, a.Message)
}

// record puts an operation on the trail under its name, before it takes effect.
func (p personal) record(ctx context.Context, tenant, user, operation, what string) error {
	return p.trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditPersonalData, Tenant: tenant, User: user, Tool: operation, By: identity.Of(ctx).Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: what,
	})
}

// exportTime bounds an export.
const exportTime = 20 * time.Minute

// Export implements [api.PersonalData].
func (p personal) Export(ctx context.Context, tenant, user, format string, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, exportTime)
	defer cancel()
	pools, err := p.pools(ctx, tenant)
	if err != nil {
		return err
	}
	if len(pools) > 1 && format != "jsonl" {
		return severalStores(pools, "only the format jsonl can be exported")
	}
	if err := p.record(ctx, tenant, user, api.DataExport, "the data of the person is exported as "+format); err != nil {
		return err
	}
	for _, pool := range pools {
		if err := p.ask(ctx, pool, peer.DataRequest{Op: peer.DataExport, Tenant: tenant, Person: user, Format: format}, nil, w,
			nil); err != nil {
			return err
		}
	}
	if format == "jsonl" {
		return p.services.export(ctx, tenant, user, w)
	}
	return nil
}

func severalStores(pools []string, what string) error {
	return &api.RequestError{
		Type:   "conflict",
		Status: http.StatusConflict,
		Msg: fmt.Sprintf("the pools %v keep personal data in databases of their own, so %s; set store.url on all workers (docs/data.md)",
			pools, what),
	}
}

// importTime bounds an import.
const importTime = 10 * time.Minute

// Import implements [api.PersonalData].
func (p personal) Import(
	ctx context.Context, tenant, user, format string, file io.Reader, replace bool,
) (done protocol.DataImported, err error) {
	ctx, cancel := context.WithTimeout(ctx, importTime)
	defer cancel()
	pools, err := p.pools(ctx, tenant)
	if err != nil {
		return done, err
	}
	if len(pools) > 1 {
		return done, severalStores(pools, "it is not known which of them an import is for")
	}
	if err := p.record(ctx, tenant, user, "data.import", "data is imported for the person from a file of the format "+format); err != nil {
		return done, err
	}
	err = p.ask(ctx, pools[0], peer.DataRequest{Op: peer.DataImport, Tenant: tenant, Person: user, Format: format, Replace: replace},
		file, nil, &done)
	p.sweep() // an import that failed may have stored tasks too
	return done, err
}

// Schedules implements [api.PersonalData].
func (p personal) Schedules(ctx context.Context, tenant, user string, limit int, cursor string) (list protocol.ScheduleList, err error) {
	pools, err := p.taskPools(ctx, tenant)
	if err != nil {
		return list, err
	}
	if len(pools) > 1 {
		return list, severalStores(pools, "their tasks cannot be listed together")
	}
	return list, p.ask(ctx, pools[0], peer.DataRequest{Op: peer.DataTasks, Tenant: tenant, Person: user, Limit: limit, After: cursor},
		nil, nil, &list)
}

// taskPools returns a pool for each database with scheduled tasks.
func (p personal) taskPools(ctx context.Context, tenant string) ([]string, error) {
	if pool := taskPool(p.tools); pool != "" {
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

// sweptPool returns the pool of scheduled tasks, empty while it has no worker: the tools of
// workers that are gone stay in the catalogue.
func sweptPool(tools *catalog.Catalog, workers *fleet.Fleet) string {
	pool := taskPool(tools)
	if len(workers.Live()[pool]) == 0 {
		return ""
	}
	return pool
}

// Schedule implements [api.PersonalData].
func (p personal) Schedule(ctx context.Context, tenant, user, id string) (s protocol.Schedule, err error) {
	pools, err := p.taskPools(ctx, tenant)
	if err != nil {
		return s, err
	}
	return s, p.ask(ctx, pools[0], peer.DataRequest{Op: peer.DataTask, Tenant: tenant, Person: user, ID: id}, nil, nil, &s)
}

// DeleteSchedule implements [api.PersonalData].
func (p personal) DeleteSchedule(ctx context.Context, tenant, user, id string) (protocol.Schedule, error) {
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
	if err := p.ask(ctx, pools[0], peer.DataRequest{Op: peer.DataEndTask, Tenant: tenant, Person: s.User, ID: id}, nil, nil,
		&s); err != nil {
		return s, err
	}
	return s, p.queue.Timers.ForgetTask(ctx, timers.Task{Tenant: tenant, Pool: pools[0], Person: s.User, ID: id})
}
