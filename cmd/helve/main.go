// Command helve is Helve for people: `helve up` runs everything in one process,
// the other commands are clients of a running system.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/tune"
	"github.com/helve-dev/helve/worker"
)

func main() {
	worker.Child() // does not return in a process that was started as one
	tune.GC()
	js.TuneWorker()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, upCommand(os.Environ()), policyCommand(os.Environ()), authCommand(), natsAuthCommand(), asyncAPICommand(), jsCommand(), doctorCommand(os.Environ()), benchCommand(), benchNodeCommand()))
}
