// Command dispatcher takes tool calls over NATS and HTTP, hands them to workers
// and answers with their results. Any number of them may run side by side.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/front"
	"github.com/helve-dev/helve/internal/program"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tune"
)

func main() {
	tune.GC()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args, os.Environ(), os.Stdout, os.Stderr))
}

func run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	invocation := program.Invocation{Role: config.Dispatcher, Args: args, Env: env, Stdout: stdout, Stderr: stderr}
	return invocation.Run(ctx, func(cfg config.Config, kit *telemetry.Kit) error {
		return front.Run(ctx, cfg, kit, func(url string) { fmt.Fprintf(stdout, "ready http=%s\n", url) }, nil)
	})
}
