package worker

import (
	"context"
	"io"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app"
	process "github.com/helve-dev/helve/internal/app/worker"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Main is the main function of a worker program that runs the tools of sets: it reads
// flags, environment and configuration, prints one line "ready worker=ID pools=A,B
// http=URL" to standard output when it takes calls, serves /metrics, /healthz and /readyz,
// works until SIGINT or SIGTERM, drains, and exits: 0 after a clean drain, 1 on failure, 2
// on bad usage. A program whose tools or configuration need a [Part] uses [Program.Main]
// instead.
//
// Without --pools it takes the calls of the pools that its tools name, and of one named
// after the program's module if some name none: example.com/my-worker/v2 is my-worker.
func Main(sets ...*tool.Set) { Program{Sets: sets}.Main() }

// Child runs this process as a sandbox, or as the launcher of a confined program, and
// exits, if a worker with one of the parts started it for that. [Program.Main] calls it; a
// program that calls [Program.Embed] or [Program.Command] instead, and a test's TestMain,
// must call it first. The import of the parts usually does the same before main begins.
func Child(parts ...Part) {
	for _, part := range parts {
		if part.Child != nil {
			part.Child()
		}
	}
}

// Program holds the tools, parts and functions that a worker program adds to the platform.
type Program struct {
	Sets []*tool.Set
	// Parts are the abilities of the worker beside running the tools of Sets. A tool or a
	// setting that needs another part is refused when the worker starts.
	Parts []Part
	// Middleware runs around every tool, the first one outermost.
	Middleware []tool.Middleware
	// Started, if set, is called once when the worker takes calls, on its own goroutine.
	// With its argument it adds and removes tools. It may run until ctx ends, which is when
	// the worker begins to drain.
	Started func(ctx context.Context, providers *Providers) error
}

// Main is [Main] for a program that adds more than tools.
func (p Program) Main() {
	Child(p.Parts...)
	for _, part := range p.Parts {
		if part.Tune != nil {
			part.Tune()
		}
	}
	app.Main(p.Command)
}

// Command is [Main] as a function: it runs the worker until ctx ends and returns the exit
// code. Args begins with the program's name; env is in the form of os.Environ.
func Command(ctx context.Context, args, env []string, stdout, stderr io.Writer, sets ...*tool.Set) int {
	return Program{Sets: sets}.Command(ctx, args, env, stdout, stderr)
}

// Command is [Command] for a program that adds more than tools.
func (p Program) Command(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	own := moduleOf(buildInfo())
	o := app.Options{
		Role: config.Worker, Args: args, Env: env, Stdout: stdout, Stderr: stderr,
		Defaults: func(c *config.Config) { c.Worker.Pools = p.pools(own) },
	}
	return app.Run(ctx, o, func(cfg config.Config, kit *telemetry.Kit) error {
		return p.process(homeOf(own, cfg.Worker.Pools)).Serve(ctx, cfg, kit, stdout)
	})
}

// Embed runs one worker inside a process that has telemetry and HTTP listeners of its
// own, as `helve up` does, until ctx ends; it then drains. It calls ready once, when the
// worker takes calls.
func Embed(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(id string), sets ...*tool.Set) error {
	return Program{Sets: sets}.Embed(ctx, cfg, kit, ready)
}

// Embed is [Embed] for a program that adds more than tools.
func (p Program) Embed(ctx context.Context, cfg config.Config, kit *telemetry.Kit, ready func(id string)) error {
	return p.process("").Embed(ctx, cfg, kit, ready)
}

// process returns the program as internal/app/worker runs it. Home is the pool of tools
// that name none.
func (p Program) process(home string) process.Program {
	own := process.Program{Sets: p.Sets, Parts: p.Parts, Middleware: p.Middleware, Home: home}
	if p.Started != nil {
		own.Started = func(ctx context.Context, providers *toolbox.Providers) error {
			return p.Started(ctx, &Providers{providers})
		}
	}
	return own
}
