package worker

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/backend/programs"
	_ "github.com/helve-dev/helve/internal/backend/programs/launch/early" // see its package comment
	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/program"
	"github.com/helve-dev/helve/internal/sandbox/inside"
	_ "github.com/helve-dev/helve/internal/sandbox/inside/early" // and its
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tune"
	"github.com/helve-dev/helve/tool"
)

// Main is the whole main function of a worker program that runs the tools of
// sets: it reads flags, environment and configuration, prints one line
// "ready worker=ID pools=A,B http=URL" to standard output when it takes calls,
// serves /metrics, /healthz and /readyz, works until SIGINT or SIGTERM, drains,
// and exits: 0 after a clean drain, 1 on failure, 2 on bad usage.
func Main(sets ...*tool.Set) { Program{Sets: sets}.Main() }

// Child serves as a sandbox, or as the launcher of a confined program, if this process
// was started as one by a worker, and then ends it. [Main] does that; a program that
// calls [Embed] or [Command], and a test's TestMain, does it first of all. The import of
// this package mostly does it already, before main begins.
func Child() {
	inside.Child()
	programs.Child()
}

// Program is what a worker program brings beside the platform.
type Program struct {
	Sets []*tool.Set
	// Middleware stands around every tool, the first one outermost.
	Middleware []tool.Middleware
	// Started, where set, is called once when the worker takes calls, on a goroutine of
	// its own; what it is given adds and removes tools. It may last as long as ctx, which
	// ends when the worker begins to drain.
	Started func(ctx context.Context, providers *Providers) error
}

// Main is [Main] for a program that brings more than tools.
func (p Program) Main() {
	Child()
	tune.GC()
	js.TuneWorker()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(p.Command(ctx, os.Args, os.Environ(), os.Stdout, os.Stderr))
}

// Command is [Main] as a function: it works until ctx ends and returns the exit
// code. Args begins with the program's name; env is in the form of os.Environ.
func Command(ctx context.Context, args, env []string, stdout, stderr io.Writer, sets ...*tool.Set) int {
	return Program{Sets: sets}.Command(ctx, args, env, stdout, stderr)
}

// Command is [Command] for a program that brings more than tools.
func (p Program) Command(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	invocation := program.Invocation{Role: config.Worker, Args: args, Env: env, Stdout: stdout, Stderr: stderr}
	return invocation.Run(ctx, func(cfg config.Config, kit *telemetry.Kit) error {
		return p.serve(ctx, cfg, kit, stdout)
	})
}

// serve runs one worker with an HTTP server of its own.
func (p Program) serve(ctx context.Context, cfg config.Config, kit *telemetry.Kit, stdout io.Writer) error {
	admin, err := telemetry.Serve(cfg.Worker.HTTPAddr, telemetry.Admin(telemetry.AdminOptions{
		Metrics: kit.Metrics, Health: kit.Health, Pprof: cfg.Telemetry.Pprof,
	}), cfg.HTTP.ReadHeaderTimeout)
	if err != nil {
		return err
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.HTTP.ShutdownTimeout)
		defer cancel()
		admin.Stop(bounded)
	}()
	context.AfterFunc(ctx, kit.Health.Drain)
	return p.run(ctx, cfg, kit, func(id string) {
		fmt.Fprintf(stdout, "ready worker=%s pools=%s http=%s\n", id, strings.Join(cfg.Worker.Pools, ","), admin.URL())
	})
}

// Embed runs one worker inside a process that has telemetry and HTTP of its
// own, as `helve up` does, until ctx ends; it then drains. Ready is called once
// when it takes calls.
func Embed(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(id string), sets ...*tool.Set) error {
	return Program{Sets: sets}.Embed(ctx, cfg, kit, ready)
}

// Embed is [Embed] for a program that brings more than tools.
func (p Program) Embed(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(id string)) error {
	return p.run(ctx, cfg, kit, ready)
}
