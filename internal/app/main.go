package app

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/helve-dev/helve/internal/x/gctune"
)

// Command runs a program until ctx ends and returns its exit code. Args begins with the
// name of the program; env is in the form of os.Environ.
type Command func(ctx context.Context, args, env []string, stdout, stderr io.Writer) int

// Main runs a command as this process: until SIGINT or SIGTERM, with the arguments,
// environment and streams of the process. It does not return. A second signal ends the
// process immediately.
func Main(command Command) {
	gctune.Set()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(command(ctx, os.Args, os.Environ(), os.Stdout, os.Stderr))
}
