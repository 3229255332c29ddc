// Package dispatcher assembles and runs a dispatcher process: NATS, the live catalogue,
// the dispatcher, and its NATS and HTTP servers.
//
// It promises to answer no request before it is ready. When it stops, it first reports
// not ready, then gives running requests a bounded time to end. It loses no accepted
// call, since it holds none.
package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/dispatch/place"
	"github.com/helve-dev/helve/internal/dispatch/schedule"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/accounts"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/data"
	"github.com/helve-dev/helve/internal/server/httpapi"
	"github.com/helve-dev/helve/internal/server/natsapi"
	"github.com/helve-dev/helve/internal/server/workers"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/version"
)

// Run serves until ctx ends. HTTP listens immediately, for /healthz and /readyz; ready
// is called with its URL when calls are accepted. Options modifies the connection to
// NATS and may be nil.
func Run(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(url string), options func(*queue.Options)) (failed error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	auth, err := authenticator(life, cfg, kit)
	if err != nil {
		return err
	}
	q, err := dial(cfg, kit, options)
	if err != nil {
		return err
	}
	defer q.Close()
	door := newDoor(kit.Health, q.Conn.ID())
	srv, closeListeners, err := listen(life, cfg, kit, auth, door)
	if err != nil {
		return err
	}
	defer closeListeners()

	if err := q.Prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // stopped before NATS was available
		}
		return err
	}
	start := natsio.Starting(ctx, q.Conn, end)
	defer func() { failed = start.Result(failed) }()
	cfg.HTTP.PublicURL = publicURL(cfg.HTTP, srv.URL())
	t, err := openTrail(life, cfg, kit, q)
	if err != nil {
		return err
	}
	d, svc, cat, closeAll, err := assemble(life, cfg, kit, t)
	if err != nil {
		return err
	}
	defer func() {
		end()
		closeAll()
	}()
	draining := make(chan struct{})
	web := webOptions(cfg, kit, auth, svc, draining)
	if web.MCP, err = openMCP(life, cfg, kit, q, svc, cat); err != nil {
		return err
	}
	if err := openConsole(life, cfg, kit, t, &web, svc); err != nil {
		return fmt.Errorf("console: %w", err)
	}
	defer measure(life, cfg, kit, q, web.Open)()
	door.open(httpapi.Handler(svc, web))
	stop, err := q.API.Serve(life, version.String(), natsHandlers(svc, q, natsOptions(cfg, kit, auth)))
	if err != nil {
		return err
	}
	if err := q.Conn.Flush(life); err != nil || !start.Done() {
		return err
	}
	kit.Log.Info("dispatcher ready", zap.String("dispatcher", q.Conn.ID()), zap.String("http", srv.URL()))
	ready(srv.URL())
	<-ctx.Done()
	leave(life, cfg, kit, q.Conn.ID(), srv, draining)
	return drain(life, cfg.HTTP.ShutdownTimeout, cfg.HTTP.Linger, d, srv, stop)
}

// leave reports on /readyz that the process stops, and ends event streams.
func leave(life context.Context, cfg config.Config, kit *telemetry.Kit, id string, srv *telemetry.Server, draining chan<- struct{}) {
	kit.Log.Info("dispatcher drain started", zap.String("dispatcher", id))
	kit.Health.Drain()
	srv.Announce(life, drainDelay(cfg.HTTP))
	close(draining)
}

// listen opens the main listener, and the admin listener if there is one.
func listen(
	life context.Context, cfg config.Config, kit *telemetry.Kit, auth *identity.Authenticator, door *door,
) (srv *telemetry.Server, end func(), err error) {
	admin, err := telemetry.OpenAdmin(cfg.HTTP.AdminAddr, telemetry.AdminOptions{
		Metrics: kit.Metrics, Health: kit.Health, Pprof: cfg.Telemetry.Pprof, HealthOnly: !identity.Loopback(cfg.HTTP.Addr),
	}, cfg.HTTP.ReadHeaderTimeout, kit.Log)
	if err != nil {
		return nil, nil, err
	}
	local := httpapi.Local(cfg.HTTP.AllowedHosts, httpapi.ForOperators(auth, admin.Public))
	srv, err = telemetry.Serve(cfg.HTTP.Addr, door.handler(local), cfg.HTTP.ReadHeaderTimeout)
	if err != nil {
		admin.Stop(cfg.HTTP.ShutdownTimeout)
		return nil, nil, err
	}
	return srv, func() {
		bounded, cancel := context.WithTimeout(life, cfg.HTTP.ShutdownTimeout)
		defer cancel()
		srv.Stop(bounded)
		admin.Stop(cfg.HTTP.ShutdownTimeout)
	}, nil
}

func webOptions(
	cfg config.Config, kit *telemetry.Kit, auth *identity.Authenticator, svc *api.Service, draining <-chan struct{},
) httpapi.Options {
	return httpapi.Options{
		AllowedHosts:   append(slices.Clip(cfg.HTTP.AllowedHosts), hostOf(cfg.HTTP.PublicURL)...),
		AllowedOrigins: cfg.HTTP.AllowedOrigins, Auth: auth,
		BodyMemory: int64(cfg.HTTP.BodyMemory), MaxFile: int64(cfg.HTTP.MaxFile), MaxStreams: cfg.HTTP.MaxStreams,
		Connect: svc.Connector, Draining: draining, Log: kit.Log, Open: &httpapi.Open{},
		Answered: func(operation string, status int) { kit.Metrics.Requested(telemetry.HTTP, operation, status) },
		Tracing:  kit.Tracing,
	}
}

func natsOptions(cfg config.Config, kit *telemetry.Kit, auth *identity.Authenticator) natsapi.Options {
	return natsapi.Options{
		Auth: auth, Trusted: cfg.Auth.NATS == config.NATSServer,
		Answered: func(operation string, status int) { kit.Metrics.Requested(telemetry.NATS, operation, status) },
		Tracing:  kit.Tracing,
	}
}

// dial connects to NATS, now or later, and reports its health.
func dial(cfg config.Config, kit *telemetry.Kit, options func(*queue.Options)) (*queue.Queue, error) {
	o := queue.FromConfig(cfg, "dispatcher", kit.Log)
	o.State = kit.Metrics.Connected
	o.Kept = kit.Metrics.StreamKept
	o.Failed = func(cause string) { kit.Metrics.Count(telemetry.NATSErrors, cause) }
	if options != nil {
		options(&o)
	}
	q, err := queue.Connect(o)
	if err != nil {
		return nil, err
	}
	kit.Health.Add("nats "+q.Conn.ID(), q.Check)
	kit.Health.Describe("durability", cfg.Durability.Profile)
	return q, nil
}

// authenticator identifies HTTP callers. Without one, only loopback listeners are
// allowed.
func authenticator(life context.Context, cfg config.Config, kit *telemetry.Kit) (*identity.Authenticator, error) {
	auth, err := identity.New(life, identity.Options{
		KeysFile: cfg.Auth.KeysFile, Issuer: cfg.Auth.Issuer, Audience: cfg.Auth.Audience,
		TenantClaim: cfg.Auth.TenantClaim, UserClaim: cfg.Auth.UserClaim, RolesClaim: cfg.Auth.RolesClaim, Log: kit.Log,
		Refused: func() { kit.Metrics.Count(telemetry.APIKeysRefused) },
	})
	if err != nil {
		return nil, err
	}
	return auth, identity.Guard(cfg.HTTP.Addr, auth.On())
}

// announcedFor is the default of http.drain_delay beyond loopback. Kubernetes removes a pod
// from its services and tells every node of it within a second or two.
const announcedFor = 5 * time.Second

// drainDelay returns how long a drain accepts requests while /readyz reports it. No load
// balancer sends to a loopback address, so there the default is none.
func drainDelay(cfg config.HTTPSection) time.Duration {
	if cfg.DrainDelay == 0 && !identity.Loopback(cfg.Addr) {
		return announcedFor
	}
	return cfg.DrainDelay
}

// drain gives requests half of the time for their results; in the other half,
// unfinished requests are answered as pending.
func drain(
	life context.Context, total, linger time.Duration, d *dispatch.Dispatcher, srv *telemetry.Server, stopNATS func(context.Context) error,
) error {
	patience := time.AfterFunc(total/2, d.Drain)
	defer patience.Stop()
	bounded, cancel := context.WithTimeout(life, total)
	defer cancel()
	var both sync.WaitGroup
	both.Go(func() {
		srv.Leave(bounded, min(linger, total))
		srv.Stop(bounded)
	})
	err := stopNATS(bounded)
	both.Wait()
	return err
}

// assemble builds the operations over a prepared queue. The returned function waits, once
// life has ended, until everything that was started is closed.
func assemble(
	life context.Context, cfg config.Config, kit *telemetry.Kit, t trail.Writer,
) (*dispatch.Dispatcher, *api.Service, api.Catalog, func(), error) {
	q := t.Queue
	cat, err := followTools(life, cfg, kit, q)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	remotes, err := openRemote(life, cfg, kit, q, cat)
	if err != nil {
		return nil, nil, nil, nil, fmt.Errorf("remote tools: %w", err)
	}
	var live *fleet.Fleet
	sweeper := schedule.NewSweeper(q, func() string { return data.SweptPool(cat.Shared, live) }, kit.Log)
	live, err = workers.Follow(life, q, kit, cat, sweeper.Sweep)
	if err != nil {
		return nil, nil, nil, nil, fmt.Errorf("workers: %w", err)
	}
	sets, store, err := followAgents(life, q, kit.Log)
	if err := errors.Join(err, q.Events.ServeReplay(), q.ServeLanes(), q.ServeFinds(), q.Relay.Serve()); err != nil {
		return nil, nil, nil, nil, err
	}
	services, err := openServices(life, cfg, kit, q, cat.Shared, t)
	if err != nil {
		return nil, nil, nil, nil, fmt.Errorf("services: %w", err)
	}
	consents, err := openConsents(life, cfg, kit, q, t, services)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	keeper := openKeeper(cfg, kit, q, services.Store.Keys, cat)
	records, closeAudit, err := openAudit(life, cfg, kit, t, keeper)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	upstreams, unlisted := openUpstream(life, q, t)
	made, failed := openCustom(life, q, t)
	bindings, unbound := affinity.Follow(life, q, live)
	if err = errors.Join(unlisted, failed, unbound); err != nil {
		return nil, nil, nil, nil, err
	}
	callbacks := openCallbacks(cfg, q, services.Store.Keys)
	opts := dispatchOptions(cfg, kit)
	opts.Queue, opts.Trail, opts.Catalog, opts.Agents, opts.Placer = q, t, cat, sets, &place.Placer{Workers: live, Bindings: bindings}
	opts.Parked, opts.Groups, opts.Callbacks = consents, records.Groups(), callbacks
	d, runs, closePrograms, err := openDispatcher(life, cfg, kit, opts, t)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	closeCallbacks, err := startCallbacks(life, cfg, kit, callbacks, d, t)
	if err = errors.Join(err, startSchedules(life, q, d, sweeper, kit)); err != nil {
		return nil, nil, nil, nil, err
	}
	svc, closeHistory, err := openOperations(life, parts{
		cfg: cfg, queue: q, trail: t, log: kit.Log, metrics: kit.Metrics, calls: d, cat: cat, agents: store, fleet: live, bindings: bindings,
		consents: consents, audit: records, keeper: keeper, services: services, remotes: remotes, upstreams: upstreams, custom: made,
		callbacks: callbacks, sweeper: sweeper, programs: runs,
	})
	return d, svc, cat, func() { closePrograms(); closeCallbacks(); closeHistory(); closeAudit() }, err
}

// dispatchOptions returns the settings of a dispatcher that follow from the configuration.
func dispatchOptions(cfg config.Config, kit *telemetry.Kit) dispatch.Options {
	return dispatch.Options{
		Metrics: kit.Metrics, Tracing: kit.Tracing, Log: kit.Log,
		MaxBacklog: int64(cfg.Dispatcher.MaxBacklog), QueueTTL: cfg.Dispatcher.QueueTTL,
		DirectUnder: cfg.Dispatcher.DirectUnder, DirectWait: cfg.Dispatcher.DirectWait,
		QuickUser: cfg.Share.QuickUser, QuickTenant: cfg.Share.QuickTenant,
		Quota: dispatch.Quota{User: cfg.Quota.User, Tenant: cfg.Quota.Tenant, Tenants: cfg.Quota.TenantOf()},
	}
}

// openConsents starts consent, and resumes calls whose accounts are connected, until life ends.
func openConsents(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, t trail.Writer, services *accounts.Services,
) (*consent.Service, error) {
	consents, err := openConsent(life, cfg, kit, q, t, services.Index.Has)
	if err == nil {
		err = services.Follow(life, consents)
	}
	if err != nil {
		return nil, fmt.Errorf("consent: %w", err)
	}
	return consents, nil
}

// startSchedules makes the calls of scheduled tasks, and keeps their timers, until life ends.
func startSchedules(life context.Context, q *queue.Queue, d *dispatch.Dispatcher, sweeper *schedule.Sweeper, kit *telemetry.Kit) error {
	err := schedule.Start(life, schedule.Options{Queue: q, Execute: d.Execute, Restored: sweeper.Sweep, Metrics: kit.Metrics, Log: kit.Log})
	go sweeper.Run(life)
	return err
}

// followAgents returns the agents' tool sets as NATS has them until life ends, and
// the store that changes them.
func followAgents(life context.Context, q *queue.Queue, log *zap.Logger) (*catalog.Agents, *catalogsync.AgentStore, error) {
	sets := &catalog.Agents{}
	if err := catalogsync.FollowAgents(life, q, sets, log); err != nil {
		return nil, nil, err
	}
	store, err := catalogsync.NewAgentStore(life, q, sets)
	return sets, store, err
}

// followTools returns a catalogue that follows the tools on NATS until life ends.
func followTools(life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue) (*catalog.Tenants, error) {
	cat := catalog.NewTenants(catalog.New())
	var err error
	if cat.Switches, err = catalog.ParseSwitches(cfg.Groups); err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	if err := catalogsync.FollowTools(life, q, cat.Shared, kit.Log); err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	if err := catalogsync.FollowCustom(life, q, cat, kit.Log); err != nil {
		return nil, fmt.Errorf("custom tools: %w", err)
	}
	if err := catalogsync.FollowLoadErrors(life, q, cat, kit.Log); err != nil {
		return nil, fmt.Errorf("load errors: %w", err)
	}
	return cat, nil
}

// answerMargin is the room a NATS answer needs in addition to its results, in bytes.
const answerMargin = 64 << 10

// natsHandlers limits each answer to the size of a NATS message.
func natsHandlers(svc *api.Service, q *queue.Queue, o natsapi.Options) map[string]peer.Handler {
	handlers := map[string]peer.Handler{}
	o.Longest = q.Conn.MaxPayload
	for name, handle := range natsapi.Handlers(svc, o) {
		handlers[name] = func(ctx context.Context, from peer.Asker, body []byte, header func(string) string) ([]byte, error) {
			room := max(q.Conn.MaxPayload()-answerMargin, 0)
			return handle(dispatch.WithAnswer(ctx, dispatch.Answer{Inline: room, Limit: room}), natsapi.Asker(from), body, header)
		}
	}
	return handlers
}

// notReady answers requests before the process is ready.
func notReady(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(
		[]byte(`{"title":"Not ready","status":503,"detail":"the dispatcher is starting; see /readyz","error_type":"unavailable"}` + "\n"),
	)
}
