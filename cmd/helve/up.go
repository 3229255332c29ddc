package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/server/natsauth"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
	workerparts "github.com/helve-dev/helve/worker/parts"
)

// upCommand runs everything in one process on an embedded NATS server.
func upCommand(env []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run NATS, a dispatcher and workers in this process",
		Args:  cobra.NoArgs,
	}
	config.Flags(cmd.Flags(), config.Up)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(config.Source{Env: env, Flags: cmd.Flags()})
		if err != nil {
			return cli.Usage("%w", err)
		}
		cfg.Worker.Pools = withDesktop(cfg.Worker.Pools)
		if show, _ := cmd.Flags().GetBool("print-config"); show {
			text, err := cfg.YAML()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		}
		return cfg.Explain(config.Up, up(cmd.Context(), cfg, cmd.OutOrStdout(), cmd.ErrOrStderr()))
	}
	return cmd
}

// withDesktop adds the pool of desktop tools: the machine of helve up is the person's
// own.
func withDesktop(pools []string) []string {
	const desktop = "desktop"
	if slices.Contains(pools, desktop) {
		return pools
	}
	return append(slices.Clip(pools), desktop)
}

// up serves until ctx ends, then drains: first new calls are refused, then the workers
// finish theirs, then NATS stops.
func up(ctx context.Context, cfg config.Config, stdout, stderr io.Writer) error {
	kit, err := telemetry.NewKit(ctx, telemetry.KitFromConfig(cfg, "helve"), stderr)
	if err != nil {
		return err
	}
	defer kit.Close(context.WithoutCancel(ctx))
	if identity.Guard(cfg.Up.NATSAddr, false) != nil {
		return fmt.Errorf("--nats %s: the embedded NATS server has no TLS, so it listens on loopback only; "+
			"for others run a NATS server with accounts (helve nats-auth makes them), cmd/dispatcher and cmd/worker", cfg.Up.NATSAddr)
	}
	if cfg.Secrets.KeyFile == "" && cfg.Secrets.KeyEnv == "" {
		cfg.Secrets.KeyFile = filepath.Join(cfg.Data, "secrets.key")
		if err := vault.Create(cfg.Secrets.KeyFile); err != nil {
			return fmt.Errorf("master key of services: %w", err)
		}
	}
	// The parts share the key that seals, and prove their records to it alone.
	if _, err := keyfile.LoadSet(cmp.Or(cfg.Keys.Dir, filepath.Join(cfg.Data, "keys")), keysync.Seal); err != nil {
		return err
	}
	power := cfg.Durability.Profile == streams.ProfilePower
	store := filepath.Join(cfg.Data, "nats")
	access, users, err := natsAccess(cfg, kit)
	if err != nil {
		return fmt.Errorf("nats credentials: %w", err)
	}
	nats, err := embedded.Start(embedded.Options{
		Addr: cfg.Up.NATSAddr, Dir: store, SyncAlways: power, Users: users, Log: kit.Log,
	})
	if err != nil {
		return err
	}
	defer nats.Stop()
	kit.Health.Add("nats store", func(context.Context) error { return nats.Check() })
	cfg.NATS = natsOf(cfg, nats.URL())
	cfg.NATS.StoreDir = store
	if access != nil {
		cfg.Auth.NATS = config.NATSServer // only users who can read the data directory have a credential
		if err := access.Write(nats.URL()); err != nil {
			return fmt.Errorf("nats credentials: %w", err)
		}
	}

	p := newParts(ctx, cfg, kit, power)
	p.access = access
	url := p.start()
	if url != "" {
		fmt.Fprintf(stdout, "ready http=%s nats=%s\n", url, nats.URL())
	}
	return p.wait()
}

// natsOf configures the parts for the embedded server.
func natsOf(cfg config.Config, url string) config.NATSSection {
	return config.NATSSection{URL: url, Prefix: cfg.NATS.Prefix, ConnectTimeout: cfg.NATS.ConnectTimeout}
}

// parts holds the dispatcher and the workers of one process: separate goroutine trees
// that communicate only over NATS.
type parts struct {
	cfg   config.Config
	kit   *telemetry.Kit
	power bool
	// access holds the credentials of the parts; nil if NATS requires none.
	access *natsauth.Local

	ctx         context.Context
	fail        context.CancelCauseFunc
	frontDone   chan struct{}
	workers     context.Context
	stopWorkers context.CancelFunc
	running     sync.WaitGroup
	ready       chan string
	mu          sync.Mutex
	errs        []error
}

func newParts(ctx context.Context, cfg config.Config, kit *telemetry.Kit, power bool) *parts {
	p := &parts{cfg: cfg, kit: kit, power: power, frontDone: make(chan struct{}), ready: make(chan string, 1+cfg.Up.Workers)}
	p.ctx, p.fail = context.WithCancelCause(ctx)
	p.workers, p.stopWorkers = context.WithCancel(context.WithoutCancel(ctx))
	return p
}

// start returns the dispatcher's URL once everything is ready, or "" if something
// failed or ctx ended first.
func (p *parts) start() string {
	prepared := make(chan struct{})
	p.running.Go(func() {
		defer close(p.frontDone)
		p.partFailed("dispatcher", dispatcher.Run(p.ctx, p.with(natsauth.Local.DispatcherContext), p.kit,
			func(url string) { close(prepared); p.ready <- url }, func(o *queue.Options) { o.SyncAlways = p.power }))
	})
	for range p.cfg.Up.Workers {
		p.running.Go(func() {
			if p.access != nil { // a worker's credential may not create the streams
				select {
				case <-prepared:
				case <-p.ctx.Done():
					return
				}
			}
			p.partFailed("worker", p.work())
		})
	}
	var url string
	for range 1 + p.cfg.Up.Workers {
		select {
		case got := <-p.ready:
			url = cmp.Or(url, got)
		case <-p.ctx.Done():
			return ""
		}
	}
	return url
}

// work runs one worker until the workers are to stop. A worker that an operator orders to
// drain is started again, as a process manager would.
func (p *parts) work() error {
	ready := sync.OnceFunc(func() { p.ready <- "" })
	for p.workers.Err() == nil {
		err := worker.Program{
			Sets: tools.Builtin(), Parts: workerparts.All(),
		}.Embed(p.workers, p.with(natsauth.Local.WorkerContext), p.kit, func(string) { ready() })
		if err != nil {
			return err
		}
	}
	return nil
}

// with returns the configuration of a part, with the NATS context of its credential.
func (p *parts) with(context func(natsauth.Local) string) config.Config {
	cfg := p.cfg
	if p.access != nil {
		cfg.NATS.Context = context(*p.access)
	}
	return cfg
}

// partFailed ends the whole process when one of its parts fails.
func (p *parts) partFailed(part string, err error) {
	if err == nil {
		return
	}
	p.kit.Log.Error("part of helve up failed", zap.String("part", part), zap.Error(err))
	p.mu.Lock()
	p.errs = append(p.errs, fmt.Errorf("%s: %w", part, err))
	p.mu.Unlock()
	p.fail(err)
}

// wait returns when everything has drained.
func (p *parts) wait() error {
	<-p.ctx.Done()
	<-p.frontDone
	p.stopWorkers()
	p.running.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.errs...)
}
