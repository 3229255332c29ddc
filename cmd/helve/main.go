// Command helve is the command line of Helve: `helve up` runs everything in one
// process, the other commands are clients of a running system.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/x/gctune"
	"github.com/helve-dev/helve/worker"
	workerparts "github.com/helve-dev/helve/worker/parts"
)

func main() {
	worker.Child(workerparts.All()...) // does not return in a child process
	gctune.Set()
	js.TuneWorker()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, commands(os.Environ())...))
}

// commands returns the commands that are added to those of every client.
func commands(env []string) []*cobra.Command {
	return []*cobra.Command{
		upCommand(env), policyCommand(env), authCommand(), keysCommand(), configCommand(), natsAuthCommand(), asyncAPICommand(),
		jsCommand(), doctorCommand(env), dataCommand(env), benchCommand(),
	}
}
