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
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/embedded"
	"github.com/helve-dev/helve/internal/front"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
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
		return up(cmd.Context(), cfg, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// withDesktop adds the pool of tools that use a desktop: the machine of helve up is
// the person's own.
func withDesktop(pools []string) []string {
	const desktop = "desktop"
	if slices.Contains(pools, desktop) {
		return pools
	}
	return append(slices.Clip(pools), desktop)
}

// up serves until ctx ends, then drains: first no more calls are taken in, then
// the workers finish theirs, then NATS stops.
func up(ctx context.Context, cfg config.Config, stdout, stderr io.Writer) error {
	kit, err := telemetry.NewKit(ctx, telemetry.KitFromConfig(cfg, "helve"), stderr)
	if err != nil {
		return err
	}
	defer kit.Close(context.WithoutCancel(ctx))
	if identity.Guard(cfg.Up.NATSAddr, false) != nil {
		return fmt.Errorf("--nats %s: the embedded NATS server asks for no credentials, so it listens on loopback only; for others run a NATS server with accounts (helve nats-auth makes them), cmd/dispatcher and cmd/worker", cfg.Up.NATSAddr)
	}
	power := cfg.Durability.Profile == bus.ProfilePower
	nats, err := embedded.Start(embedded.Options{
		Addr: cfg.Up.NATSAddr, Dir: filepath.Join(cfg.Data, "nats"), SyncAlways: power,
	})
	if err != nil {
		return err
	}
	defer nats.Stop()
	cfg.NATS = natsOf(cfg, nats.URL())

	p := newParts(ctx, cfg, kit, power)
	url := p.start()
	if url != "" {
		fmt.Fprintf(stdout, "ready http=%s nats=%s\n", url, nats.URL())
	}
	return p.wait()
}

// natsOf points the parts at the embedded server.
func natsOf(cfg config.Config, url string) config.NATSSection {
	return config.NATSSection{URL: url, Prefix: cfg.NATS.Prefix, ConnectTimeout: cfg.NATS.ConnectTimeout}
}

// parts are the dispatcher and the workers of one process: separate goroutine
// trees that meet on NATS only.
type parts struct {
	cfg   config.Config
	kit   *telemetry.Kit
	power bool

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

// start returns the dispatcher's URL once everything is ready, or "" if
// something failed or ctx ended first.
func (p *parts) start() string {
	p.running.Go(func() {
		defer close(p.frontDone)
		p.failed("dispatcher", front.Run(p.ctx, p.cfg, p.kit, func(url string) { p.ready <- url }, func(o *bus.Options) { o.SyncAlways = p.power }))
	})
	for range p.cfg.Up.Workers {
		p.running.Go(func() {
			p.failed("worker", worker.Embed(p.workers, p.cfg, p.kit, func(string) { p.ready <- "" }, tools.Builtin()...))
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

// failed ends the whole process when one of its parts does.
func (p *parts) failed(part string, err error) {
	if err == nil {
		return
	}
	p.kit.Log.Error(part+" failed", zap.Error(err))
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
