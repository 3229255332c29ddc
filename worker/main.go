package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
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
	tune.GC()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(Command(ctx, os.Args, os.Environ(), os.Stdout, os.Stderr, sets...))
}

// Exit codes of Command.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

// Command is [Main] as a function: it works until ctx ends and returns the exit
// code. Args begins with the program's name; env is in the form of os.Environ.
func Command(ctx context.Context, args, env []string, stdout, stderr io.Writer, sets ...*tool.Set) int {
	fs := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	fs.SetOutput(stderr)
	config.Flags(fs, config.Worker)
	switch err := fs.Parse(args[1:]); {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	cfg, err := config.Load(config.Source{Env: env, Flags: fs})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	if show, _ := fs.GetBool("print-config"); show {
		return printConfig(cfg, stdout, stderr)
	}
	kit, err := telemetry.NewKit(ctx, telemetry.KitFromConfig(cfg, "helve-worker"), stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailure
	}
	defer kit.Close(context.WithoutCancel(ctx))
	if err := serve(ctx, cfg, kit, stdout, sets); err != nil {
		kit.Log.Error("worker failed", zap.Error(err))
		return exitFailure
	}
	return exitOK
}

func printConfig(cfg config.Config, stdout, stderr io.Writer) int {
	text, err := cfg.YAML()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailure
	}
	if _, err := stdout.Write(text); err != nil {
		return exitFailure
	}
	return exitOK
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
