// Command helve-bench compares Helve with bare NATS on this machine, and tests it under
// faults. It is separate from helve, because it links what only comparisons need.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/x/gctune"
	"github.com/helve-dev/helve/worker"
)

func main() {
	worker.Child() // does not return in a child process
	gctune.Set()
	js.TuneWorker()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	os.Exit(cli.Execute(ctx, command(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
