// Command dispatcher takes tool calls over NATS and HTTP, hands them to workers
// and answers with their results. Any number of them may run side by side.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/front"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tune"
)

func main() {
	tune.GC()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args, os.Environ(), os.Stdout, os.Stderr))
}

const (
	exitOK = iota
	exitFailure
	exitUsage
)

func run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	fs := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	fs.SetOutput(stderr)
	config.Flags(fs, config.Dispatcher)
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
		text, err := cfg.YAML()
		if err != nil {
			fmt.Fprintln(stderr, err)
			return exitFailure
		}
		fmt.Fprint(stdout, string(text))
		return exitOK
	}
	kit, err := telemetry.NewKit(ctx, telemetry.KitFromConfig(cfg, "helve-dispatcher"), stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailure
	}
	defer kit.Close(context.WithoutCancel(ctx))
	err = front.Run(ctx, cfg, kit, func(url string) { fmt.Fprintf(stdout, "ready http=%s\n", url) }, nil)
	if err != nil {
		kit.Log.Error("dispatcher failed", zap.Error(err))
		return exitFailure
	}
	return exitOK
}
