package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts"
)

// play runs the child's role until ctx ends.
func (c *child) play(ctx context.Context) error {
	switch c.role {
	case roleBroker:
		return c.broker(ctx)
	case roleEcho:
		return c.echo(ctx)
	case roleBodies:
		return c.serveBodies(ctx)
	case roleOutside:
		return c.serveOutside(ctx)
	case roleMCP:
		return c.mcpServer(ctx)
	case roleFront:
		return c.floorFront(ctx)
	case roleTaker:
		return c.floorWorker(ctx)
	case roleDispatcher:
		return c.dispatcher(ctx)
	case roleWorker:
		// A worker program of another module has a pool of its own, unless it is told one.
		args := append([]string{c.role, "--pools", "default"}, c.args...)
		program := worker.Program{Sets: tools.Builtin(), Parts: parts.All()}
		if code := program.Command(ctx, args, os.Environ(), c, c.stderr); code != 0 {
			return fmt.Errorf("the worker ended with code %d", code)
		}
		return nil
	case roleCaller, roleGate, roleWriter:
		fmt.Fprintln(c, "ready")
		<-ctx.Done()
		return nil
	}
	return fmt.Errorf("there is no role %q", c.role)
}

// arg returns the i-th argument of the role, or "".
func (c *child) arg(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return ""
}

// leaveGrace and leaveWithin are lame_duck_grace_period and lame_duck_duration of deploy/k8s.
const leaveGrace, leaveWithin = 5 * time.Second, 30 * time.Second

// broker runs NATS as `helve up` does; its arguments are the data directory, optionally the
// address, and the addresses of its cluster, which it leaves as before an upgrade.
func (c *child) broker(ctx context.Context) error {
	routes := c.args[min(2, len(c.args)):]
	srv, err := embedded.Start(embedded.Options{
		Addr: cmp.Or(c.arg(1), "127.0.0.1:0"), Dir: c.arg(0), Routes: routes, LeaveGrace: leaveGrace, LeaveWithin: leaveWithin,
	})
	if err != nil {
		return err
	}
	end := srv.Stop
	if len(routes) > 0 {
		end = srv.Leave
	}
	defer end()
	fmt.Fprintf(c, "ready nats=%s\n", srv.URL())
	<-ctx.Done()
	return nil
}

// echoSubject is the subject of the echo process.
const echoSubject = "bench.echo"

// echo answers requests with their own body; its argument is the URL of NATS.
func (c *child) echo(ctx context.Context) error {
	nc, err := nats.Connect(c.arg(0))
	if err != nil {
		return err
	}
	defer nc.Close()
	sub, err := nc.Subscribe(echoSubject, func(msg *nats.Msg) { _ = msg.Respond(msg.Data) })
	if err != nil {
		return err
	}
	if err := errors.Join(sub.SetPendingLimits(-1, -1), nc.Flush()); err != nil {
		return err
	}
	fmt.Fprintln(c, "ready")
	<-ctx.Done()
	return nil
}

// dispatcher accepts the flags of cmd/dispatcher.
func (c *child) dispatcher(ctx context.Context) error {
	fs := pflag.NewFlagSet(c.role, pflag.ContinueOnError)
	fs.SetOutput(c.stderr)
	config.Flags(fs, config.Dispatcher)
	if err := fs.Parse(c.args); err != nil {
		return err
	}
	cfg, err := config.Load(config.Source{Env: os.Environ(), Flags: fs})
	if err != nil {
		return err
	}
	kit, err := telemetry.NewKit(ctx, telemetry.KitFromConfig(cfg, "helve-dispatcher"), c.stderr)
	if err != nil {
		return err
	}
	defer kit.Close(context.WithoutCancel(ctx))
	return dispatcher.Run(ctx, cfg, kit, func(url string) { fmt.Fprintf(c, "ready http=%s\n", url) }, nil)
}
