package main

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/toolbox/js/library"
	"github.com/helve-dev/helve/tool"
)

// local is a worker that runs one tool at a time, without NATS: with the same pipeline,
// workspaces and guard. It requests no consent and records nothing.
type local struct {
	tool  library.Loaded
	files *workspace.Workspaces
	http  *netguard.Guard
	steps *jsSteps // for a durable tool
}

// call runs the tool as a worker would.
func (l *local) call(ctx context.Context, as tool.Call, args json.RawMessage) engine.Outcome {
	as.ID, as.TraceID, as.Attempt = uuid.NewString(), strings.ReplaceAll(uuid.NewString(), "-", ""), 1
	as.Tenant = cmp.Or(as.Tenant, "default")
	e := engine.New(engine.Deps{Catalog: l, Access: l, Policy: l, Ledger: l, Ports: l, Record: l})
	return e.Execute(ctx, &engine.Job{Call: as, Name: l.tool.Tool.Name, Args: args})
}

// Lookup implements [engine.Catalog].
func (l *local) Lookup(string, string, string) (*engine.Entry, error) {
	return &engine.Entry{Tool: l.tool.Tool, Schema: l.tool.Schema}, nil
}

// Allow implements [engine.Access].
func (l *local) Allow(context.Context, *engine.Job) error { return nil }

// Authorize implements [engine.Policy].
func (l *local) Authorize(context.Context, *engine.Job) error { return nil }

// Earlier implements [engine.Ledger].
func (l *local) Earlier(context.Context, *engine.Job) error { return nil }

// Begin implements [engine.Ledger].
func (l *local) Begin(context.Context, *engine.Job) error { return nil }

// Record implements [engine.Recorder].
func (l *local) Record(*engine.Job, *engine.Outcome) {}

// Fill implements [engine.Ports].
func (l *local) Fill(j *engine.Job, _ tool.Needs) error {
	within := j.Definition().Scopes
	files, err := l.files.For(j.Tenant, j.User, within)
	j.Files, j.HTTP, j.Clock, j.Durable = files, l.http.Within(within), systemClock{}, l.steps
	return err
}

type systemClock struct{}

// Now implements [tool.Clock].
func (systemClock) Now() time.Time { return time.Now() }

// workspaces returns those in dir, or without dir empty temporary workspaces that done
// removes.
func workspaces(dir string) (files *workspace.Workspaces, done func(), err error) {
	done = func() {}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "helve-js-"); err != nil {
			return nil, done, err
		}
		done = func() { _ = os.RemoveAll(dir) } // temporary files may be lost
	}
	files, err = workspace.New(dir)
	return files, done, err
}

// jsFlags holds the common flags of the commands that run tools.
type jsFlags struct {
	env      []string
	allow    []string
	override bool
}

func (f *jsFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.env, "env", nil, "`NAME=VALUE` that the tool gets in _env if its manifest declares it; may be repeated")
	flags.StringSliceVar(&f.allow, "allow-host", nil, "let the tool reach `HOST[:PORT]|CIDR` although the guard refuses it; may be repeated")
	overrideFlag(cmd, &f.override)
}

// options returns the options of a directory. Every tool may have every typed value; it
// gets those that it declares.
func (f *jsFlags) options(dir string) (library.Options, error) {
	for _, text := range f.env {
		if name, _, ok := strings.Cut(text, "="); !ok || name == "" {
			return library.Options{}, cli.Usage("--env %q is not NAME=VALUE", text)
		}
	}
	return library.Options{Dirs: []string{dir}, Taken: isBuiltin, AllowOverride: f.override, NoEnv: true}, nil
}

// values returns the values of --env, for each of the tools.
func (f *jsFlags) values(tools []library.Loaded) map[string]map[string]string {
	typed := map[string]string{}
	for _, text := range f.env {
		name, value, _ := strings.Cut(text, "=")
		typed[name] = value
	}
	all := map[string]map[string]string{}
	for _, t := range tools {
		all[t.Tool.Name] = typed
	}
	return all
}

// open loads a directory with the typed values, which can be assigned to tools only
// when their names are known.
func (f *jsFlags) open(opts library.Options) (*library.Library, error) {
	l, err := library.Open(opts)
	if err != nil || len(f.env) == 0 {
		return l, err
	}
	opts.Env, opts.NoEnv = f.values(l.Tools()), false
	return library.Open(opts)
}

func (f *jsFlags) guard() (*netguard.Guard, error) {
	guard, err := netguard.New(netguard.Options{Allow: f.allow})
	if err != nil {
		return nil, cli.Usage("--allow-host: %w", err)
	}
	return guard, nil
}
