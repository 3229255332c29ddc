// Package app holds the common part of the programs dispatcher and worker: it loads
// the configuration from flags, environment and file, sets up the log, and defines exit
// codes. Its directories assemble the processes themselves. It promises that a program
// with invalid settings reports all problems, and does nothing else.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/version"
)

// Exit codes.
const (
	OK = iota
	Failure
	Usage
)

// Options describe the start of a program. Args begins with its name; Env is in the form
// of os.Environ.
type Options struct {
	Role           config.Role
	Args, Env      []string
	Stdout, Stderr io.Writer
	// Defaults, if set, changes the defaults of the settings.
	Defaults func(*config.Config)
}

// closeTimeout bounds sending the last spans.
const closeTimeout = 5 * time.Second

// Run loads the configuration and calls serve with it, unless the configuration is
// invalid or was only to be printed. It returns the exit code.
func Run(ctx context.Context, o Options, serve func(config.Config, *telemetry.Kit) error) int {
	fs := pflag.NewFlagSet(o.Args[0], pflag.ContinueOnError)
	fs.SetOutput(o.Stderr)
	config.Flags(fs, o.Role)
	fs.Bool("version", false, "print the version and exit")
	fs.String("healthcheck", "", "request `URL`, such as http://127.0.0.1:9090/readyz, and exit 0 if the answer is 200, otherwise 1")
	switch err := fs.Parse(o.Args[1:]); {
	case errors.Is(err, pflag.ErrHelp):
		return OK
	case err != nil:
		return o.fail(Usage, err)
	}
	if show, _ := fs.GetBool("version"); show {
		_, err := fmt.Fprintf(o.Stdout, "%s %s\n", filepath.Base(o.Args[0]), version.String())
		if err != nil {
			return o.fail(Failure, err)
		}
		return OK
	}
	if url, _ := fs.GetString("healthcheck"); url != "" {
		if err := healthcheck(ctx, url); err != nil {
			return o.fail(Failure, err)
		}
		return OK
	}
	if fs.NArg() > 0 {
		return o.fail(Usage,
			fmt.Errorf("%s takes no arguments, but got %q; settings are flags (--help lists them)", filepath.Base(o.Args[0]), fs.Arg(0)))
	}
	cfg, err := config.Load(config.Source{Env: o.Env, Flags: fs, Defaults: o.Defaults})
	if err != nil {
		return o.fail(Usage, err)
	}
	if show, _ := fs.GetBool("print-config"); show {
		text, err := cfg.YAML()
		if err == nil {
			_, err = o.Stdout.Write(text)
		}
		if err != nil {
			return o.fail(Failure, err)
		}
		return OK
	}
	kit, err := telemetry.NewKit(ctx, telemetry.KitFromConfig(cfg, o.Args[0]), o.Stderr)
	if err != nil {
		return o.fail(Failure, err)
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		kit.Close(bounded)
	}()
	if err := cfg.Explain(o.Role, serve(cfg, kit)); err != nil {
		kit.Log.Error("the program failed", zap.Error(err))
		return Failure
	}
	return OK
}

func (o Options) fail(code int, err error) int {
	fmt.Fprintln(o.Stderr, err)
	return code
}
