package dispatcher

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/keep"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/dispatch/callback"
	"github.com/helve-dev/helve/internal/dispatch/program"
	"github.com/helve-dev/helve/internal/dispatch/schedule"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/server/accounts"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/audits"
	"github.com/helve-dev/helve/internal/server/calls"
	"github.com/helve-dev/helve/internal/server/changes"
	"github.com/helve-dev/helve/internal/server/data"
	"github.com/helve-dev/helve/internal/server/workers"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/telemetry/syscheck"
	"github.com/helve-dev/helve/internal/toolbox/remote"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/internal/x/version"
)

// parts holds the parts of a dispatcher that its operations need.
type parts struct {
	cfg       config.Config
	queue     *queue.Queue
	trail     trail.Writer
	log       *zap.Logger
	metrics   *telemetry.Metrics
	calls     *dispatch.Dispatcher
	cat       *catalog.Tenants
	agents    api.AgentStore
	fleet     *fleet.Fleet
	bindings  *affinity.Binder
	consents  *consent.Service
	audit     *audits.Auditor
	keeper    *keep.Keeper
	services  *accounts.Services
	remotes   *remote.Registrar
	upstreams *approvals.Service
	custom    changes.CustomTools
	callbacks *callback.Service
	sweeper   *schedule.Sweeper
	programs  *program.Service
}

// openOperations returns the operations of a dispatcher. The returned function waits, once life
// has ended, until the history is stored.
func openOperations(life context.Context, p parts) (*api.Service, func(), error) {
	given, err := workers.OpenOrders(life, p.queue, p.fleet, p.consents, p.trail, p.log)
	if err != nil {
		return nil, nil, fmt.Errorf("orders to workers: %w", err)
	}
	kept, closeHistory := workers.FollowHistory(life, p.queue, p.fleet, p.log)
	shown, err := historyOf(p.cfg.Console, kept, p.log)
	if err != nil {
		return nil, nil, err
	}
	ask := data.Asker{Queue: p.queue, Tools: p.cat.Shared}
	seen, granted := calls.NewViews(p.trail), grants{p.consents}
	devices, err := openPush(life, p)
	if err != nil {
		return nil, nil, fmt.Errorf("web push: %w", err)
	}
	p.services.Rewrap = devices.Rewrap
	return api.New(api.Parts{
		Calls: p.calls, Catalog: p.cat, Agents: changes.Agents{AgentStore: p.agents, Trail: p.trail}, Log: p.log,
		Limits: api.Limits{Body: int(p.cfg.HTTP.MaxBody), Calls: p.cfg.Dispatcher.MaxCallsPerRequest, Wait: p.cfg.Dispatcher.MaxWait},
		Gate:   api.Gate{Consents: p.consents, Grants: granted, Minter: p.consents, Audit: p.audit, Views: seen},

		Callbacks: p.callbacks,
		Checks: syscheck.NewRecent(&syscheck.Checker{
			Queue: p.queue, Live: p.fleet.Live, Lost: p.fleet.Lost, Paused: given.Paused, Version: version.String(), Data: p.cfg.Data,
			Index: p.audit.Answers, SealKey: p.audit.Published, Audit: p.audit.State, Expiring: p.consents.Expiring, Services: p.services.State,
		}),
		Connector: accounts.Connector{Accounts: p.services.Accounts, Consents: p.consents},
		Counter:   p.audit,
		Custom:    p.custom,
		Data: data.Personal{
			Asker: ask, Trail: p.trail, Grants: granted, Custom: p.custom, Accounts: p.services, Devices: devices, Programs: p.programs,
			Sweep: p.sweeper.Sweep, Log: p.log,
		},
		Dead: calls.Dead{
			Queue: p.queue, Catalog: p.cat, Trail: p.trail, QueueTTL: p.cfg.Dispatcher.QueueTTL,
			// The records of a call are kept for longer than this, so it has them all.
			OnceKept: p.cfg.Streams.CallsMaxAge,
		},
		Files:   data.Files{Asker: ask, Bindings: p.bindings, Trail: p.trail, Within: data.FileTime},
		Fleet:   p.fleet,
		History: shown,
		Kept:    calls.Kept{Trail: p.audit, History: p.keeper, Views: seen, Log: p.log},
		List: calls.List{
			Open:  calls.Open{Queue: p.queue, Fleet: p.fleet, Consents: p.consents, Catalog: p.cat, Programs: p.programs},
			Trail: p.audit.Calls(), Catalog: p.cat, Views: seen, Contains: p.calls.Contains,
		},
		Orders:    given,
		Policies:  data.Policies{Asker: ask, All: p.cat},
		Programs:  calls.Programs{Stored: p.programs, Views: seen, Hidden: dispatch.Hidden{Catalog: p.cat}},
		Push:      devices,
		Queues:    workers.Queues{Queue: p.queue},
		Remotes:   p.remotes,
		Services:  p.services,
		Upstreams: p.upstreams,
	}), closeHistory, nil
}
