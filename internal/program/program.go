// Package program is what the programs dispatcher and worker have in common:
// flags, environment and file to a configuration, the log, and exit codes. It
// promises that a program which is told something wrong says all of it, and
// does nothing.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/telemetry"
)

// Exit codes.
const (
	OK = iota
	Failure
	Usage
)

// Invocation is how a program was started. Args begins with its name; Env is in
// the form of os.Environ.
type Invocation struct {
	Role           config.Role
	Args, Env      []string
	Stdout, Stderr io.Writer
}

// closeTimeout bounds sending the last spans.
const closeTimeout = 5 * time.Second

// Run reads the configuration and, unless it was only to be printed or is
// wrong, serves with it. It returns the exit code.
func (i Invocation) Run(ctx context.Context, serve func(config.Config, *telemetry.Kit) error) int {
	fs := pflag.NewFlagSet(i.Args[0], pflag.ContinueOnError)
	fs.SetOutput(i.Stderr)
	config.Flags(fs, i.Role)
	switch err := fs.Parse(i.Args[1:]); {
	case errors.Is(err, pflag.ErrHelp):
		return OK
	case err != nil:
		return i.fail(Usage, err)
	}
	cfg, err := config.Load(config.Source{Env: i.Env, Flags: fs})
	if err != nil {
		return i.fail(Usage, err)
	}
	if show, _ := fs.GetBool("print-config"); show {
		text, err := cfg.YAML()
		if err == nil {
			_, err = i.Stdout.Write(text)
		}
		if err != nil {
			return i.fail(Failure, err)
		}
		return OK
	}
	kit, err := telemetry.NewKit(ctx, telemetry.KitFromConfig(cfg, i.Args[0]), i.Stderr)
	if err != nil {
		return i.fail(Failure, err)
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		kit.Close(bounded)
	}()
	if err := serve(cfg, kit); err != nil {
		kit.Log.Error("the program failed", zap.Error(err))
		return Failure
	}
	return OK
}

func (i Invocation) fail(code int, err error) int {
	fmt.Fprintln(i.Stderr, err)
	return code
}
