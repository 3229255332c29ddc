// Command dispatcher accepts tool calls over NATS and HTTP, queues them for workers and
// returns their results. Any number of dispatchers may run side by side.
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/telemetry"
)

func main() { app.Main(run) }

func run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	o := app.Options{Role: config.Dispatcher, Args: args, Env: env, Stdout: stdout, Stderr: stderr}
	return app.Run(ctx, o, func(cfg config.Config, kit *telemetry.Kit) error {
		return dispatcher.Run(ctx, cfg, kit, func(url string) { fmt.Fprintf(stdout, "ready http=%s\n", url) }, nil)
	})
}
