// Package front is a dispatcher process put together: the bus, the live
// catalogue, the dispatcher, and its doors to NATS and HTTP.
//
// It promises to answer no request before it is ready, and on the way out to
// be found not ready first, to let running requests end for a bounded time, and
// to lose no accepted call, since it holds none.
package front

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/api/httpapi"
	"github.com/helve-dev/helve/internal/api/natsapi"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/internal/dispatcher"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/trail"
)

// Run serves until ctx ends. HTTP listens at once, for /healthz and /readyz;
// ready is called with its URL when calls are taken. Options adjusts how the
// bus is reached and may be nil.
func Run(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(url string), options func(*bus.Options)) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	auth, err := authenticator(life, cfg, kit)
	if err != nil {
		return err
	}
	b, err := connect(cfg, kit, options)
	if err != nil {
		return err
	}
	defer b.Close()

	door := &door{}
	kit.Health.Add("dispatcher "+b.ID(), door.check)
	srv, err := telemetry.Serve(cfg.HTTP.Addr, door.handler(telemetry.Admin(telemetry.AdminOptions{
		Metrics: kit.Metrics, Health: kit.Health, Pprof: cfg.Telemetry.Pprof,
	})), cfg.HTTP.ReadHeaderTimeout)
	if err != nil {
		return err
	}
	defer func() {
		bounded, cancel := context.WithTimeout(life, cfg.HTTP.ShutdownTimeout)
		defer cancel()
		srv.Stop(bounded)
	}()

	if err := b.Prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // told to stop before NATS was ever there
		}
		return err
	}
	d, svc, cat, closeAll, err := assemble(life, cfg, kit, b)
	if err != nil {
		return err
	}
	defer func() {
		end()
		closeAll()
	}()
	draining := make(chan struct{})
	mcp, err := openMCP(life, cfg, kit, b, svc, cat)
	if err != nil {
		return err
	}
	door.open(httpapi.Handler(svc, webOptions(cfg, kit, auth, mcp, draining)))
	stop, err := b.Serve(life, telemetry.Version(), natsHandlers(svc, b))
	if err != nil {
		return err
	}
	if err := b.Flush(life); err != nil {
		return err
	}
	kit.Log.Info("dispatcher ready", zap.String("dispatcher", b.ID()), zap.String("http", srv.URL()))
	ready(srv.URL())
	<-ctx.Done()

	kit.Log.Info("dispatcher drains", zap.String("dispatcher", b.ID()))
	kit.Health.Drain()
	close(draining)
	return drain(life, cfg.HTTP.ShutdownTimeout, cfg.HTTP.Linger, d, srv, stop)
}

func webOptions(cfg config.Config, kit *telemetry.Kit, auth *identity.Authenticator, mcp http.Handler, draining <-chan struct{}) httpapi.Options {
	return httpapi.Options{
		AllowedHosts: cfg.HTTP.AllowedHosts, AllowedOrigins: cfg.HTTP.AllowedOrigins, Auth: auth,
		MCP: mcp, Draining: draining, Log: kit.Log,
	}
}

// connect reaches NATS, now or later, and tells its health.
func connect(cfg config.Config, kit *telemetry.Kit, options func(*bus.Options)) (*bus.Bus, error) {
	o := bus.FromConfig(cfg, "dispatcher", kit.Log)
	o.State = kit.Metrics.Connected
	if options != nil {
		options(&o)
	}
	b, err := bus.Connect(o)
	if err != nil {
		return nil, err
	}
	kit.Health.Add("nats "+b.ID(), b.Check)
	kit.Health.Describe("durability", cfg.Durability.Profile)
	return b, nil
}

// authenticator tells who asks over HTTP. Where nobody can tell, nobody but
// loopback is served.
func authenticator(life context.Context, cfg config.Config, kit *telemetry.Kit) (*identity.Authenticator, error) {
	auth, err := identity.New(life, identity.Options{
		KeysFile: cfg.Auth.KeysFile, Issuer: cfg.Auth.Issuer, Audience: cfg.Auth.Audience,
		TenantClaim: cfg.Auth.TenantClaim, UserClaim: cfg.Auth.UserClaim, RolesClaim: cfg.Auth.RolesClaim, Log: kit.Log,
	})
	if err != nil {
		return nil, err
	}
	return auth, identity.Guard(cfg.HTTP.Addr, auth.On())
}

// drain gives requests half of the time for their results; what is not done
// then is answered as pending, in the other half.
func drain(life context.Context, total, linger time.Duration, d *dispatcher.Dispatcher, srv *telemetry.Server, stopNATS func(context.Context) error) error {
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

// assemble builds the operations over a bus that is prepared. What it returns
// last waits, once life has ended, until everything that was begun is closed.
func assemble(life context.Context, cfg config.Config, kit *telemetry.Kit, b *bus.Bus) (*dispatcher.Dispatcher, *api.Service, api.Catalog, func(), error) {
	cat, sets := catalog.NewTenants(catalog.New()), &catalog.Agents{}
	var err error
	if cat.Switches, err = catalog.ParseSwitches(cfg.Groups); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("groups: %w", err)
	}
	if err := directory.FollowTools(life, b, cat.Shared, kit.Log); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("catalogue: %w", err)
	}
	if err := directory.FollowCustom(life, b, cat, kit.Log); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("custom tools: %w", err)
	}
	remotes, err := openRemote(life, cfg, kit, b, cat)
	if err != nil {
		return nil, nil, nil, nil, fmt.Errorf("remote tools: %w", err)
	}
	if err := directory.FollowLoadErrors(life, b, cat, kit.Log); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("load errors: %w", err)
	}
	if err := directory.FollowAgents(life, b, sets, kit.Log); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("agents: %w", err)
	}
	store, err := directory.NewAgentStore(life, b, sets)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	if err := b.ServeReplay(); err != nil {
		return nil, nil, nil, nil, err
	}
	t := trail.Trail{Bus: b, Metrics: kit.Metrics, Log: kit.Log}
	desk, err := openDesk(life, cfg, kit, b, t)
	if err != nil {
		return nil, nil, nil, nil, fmt.Errorf("consent: %w", err)
	}
	records, closeAudit, err := openAudit(life, cfg, kit, b)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	upstreams, err := openUpstream(life, b, t)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	d, err := dispatcher.New(life, dispatcher.Options{
		Bus: b, Parked: desk, Trail: t, Catalog: cat, Agents: sets, Metrics: kit.Metrics, Log: kit.Log,
		MaxBacklog: int64(cfg.Dispatcher.MaxBacklog), QueueTTL: cfg.Dispatcher.QueueTTL,
	})
	if err != nil {
		return nil, nil, nil, nil, err
	}
	svc := api.New(d, cat, agents{store, t}, api.Limits{
		Body: int(cfg.HTTP.MaxBody), Calls: cfg.Dispatcher.MaxCallsPerRequest, Wait: cfg.Dispatcher.MaxWait,
	}, kit.Log)
	svc = svc.WithGate(api.Gate{Consents: desk, Grants: grants{desk}, Minter: desk, Audit: records}).WithRemotes(remotes).WithUpstreams(upstreams)
	return d, svc, cat, closeAudit, nil
}

// answerMargin is what a NATS answer needs beside its results, in bytes.
const answerMargin = 64 << 10

// natsHandlers bounds each answer to what a NATS message can hold.
func natsHandlers(svc *api.Service, b *bus.Bus) map[string]bus.Handler {
	handlers := map[string]bus.Handler{}
	for name, handle := range natsapi.Handlers(svc) {
		handlers[name] = func(ctx context.Context, tenant string, body []byte, header func(string) string) ([]byte, error) {
			room := max(b.MaxPayload()-answerMargin, 0)
			return handle(dispatcher.WithAnswer(ctx, dispatcher.Answer{Inline: room, Limit: room}), tenant, body, header)
		}
	}
	return handlers
}

// notReady answers what comes before the process is ready.
func notReady(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(`{"title":"Not ready","status":503,"detail":"the dispatcher is starting; see /readyz","error_type":"unavailable"}` + "\n"))
}
