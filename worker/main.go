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
	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/program"
	"github.com/helve-dev/helve/internal/sandbox"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tune"
	"github.com/helve-dev/helve/tool"
)

// Main is the whole main function of a worker program that runs the tools of
// sets: it reads flags, environment and configuration, prints one line
// "ready worker=ID pools=A,B http=URL" to standard output when it takes calls,
// serves /metrics, /healthz and /readyz, works until SIGINT or SIGTERM, drains,
// and exits: 0 after a clean drain, 1 on failure, 2 on bad usage.
func Main(sets ...*tool.Set) {
	sandbox.Child() // does not return in a process that was started as one
	tune.GC()
	js.TuneWorker()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(Command(ctx, os.Args, os.Environ(), os.Stdout, os.Stderr, sets...))
}

// Command is [Main] as a function: it works until ctx ends and returns the exit
// code. Args begins with the program's name; env is in the form of os.Environ.
func Command(ctx context.Context, args, env []string, stdout, stderr io.Writer, sets ...*tool.Set) int {
	invocation := program.Invocation{Role: config.Worker, Args: args, Env: env, Stdout: stdout, Stderr: stderr}
	return invocation.Run(ctx, func(cfg config.Config, kit *telemetry.Kit) error {
		return serve(ctx, cfg, kit, stdout, sets)
	})
}

// serve runs one worker with an HTTP server of its own.
func serve(ctx context.Context, cfg config.Config, kit *telemetry.Kit, stdout io.Writer, sets []*tool.Set) error {
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
	return run(ctx, cfg, kit, func(id string) {
		fmt.Fprintf(stdout, "ready worker=%s pools=%s http=%s\n", id, strings.Join(cfg.Worker.Pools, ","), admin.URL())
	}, sets)
}

// Embed runs one worker inside a process that has telemetry and HTTP of its
// own, as `helve up` does, until ctx ends; it then drains. Ready is called once
// when it takes calls.
func Embed(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(id string), sets ...*tool.Set) error {
	return run(ctx, cfg, kit, ready, sets)
}
