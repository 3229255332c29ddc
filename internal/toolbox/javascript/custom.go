package javascript

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/dynamic"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	"github.com/helve-dev/helve/tool"
)

// openCustom builds the registry of the tools that models wrote.
func openCustom(
	ctx context.Context, host toolbox.Host, runs, turns *lazySandbox, lib func(string) (string, error), budget *js.Budget,
) (*dynamic.Registry, error) {
	bucket, err := host.Queue.Conn.Bucket(ctx, streams.BucketCustom)
	if err != nil {
		return nil, err
	}
	return dynamic.New(dynamic.Options{
		Bucket: bucket, Exists: func(err error) bool { return errors.Is(err, natsio.ErrExists) }, Runner: runs, Turns: turns,
		Taken: host.Tools.TakenFor, Declared: host.Tools.Declared,
		Logged: console{host.Log}.line, Lib: lib, Budget: budget, Log: host.Log,
	}), nil
}

func openSandbox(host toolbox.Host, durable bool) (*sandbox.Pool, error) {
	o := sandbox.Options{
		Durable: durable,
		Slots:   host.Config.Sandbox.Children,
		Limits:  sandboxLimits(host.Config),
		Log:     host.Log,
		Killed:  host.Metrics.SandboxKilled,
	}
	host.Metrics.SandboxReasons(sandbox.Reasons()...)
	if program := host.Config.Sandbox.Program; program != "" {
		o.Program = []string{program, child.Argument}
	}
	pool, err := sandbox.New(o)
	if err != nil {
		host.Log.Error("custom tools cannot run here; `helve doctor` lists what this host lacks", zap.Error(err))
		return nil, err
	}
	if !durable {
		host.Metrics.Sandboxes(pool.Stats)
	}
	return pool, nil
}

func sandboxLimits(cfg config.Config) sandbox.Limits {
	s := cfg.Sandbox
	return sandbox.Limits{Wall: s.Wall, CPU: s.CPU, Memory: int64(s.Memory), Output: int(s.Output)}
}

func newLazySandbox(host toolbox.Host, durable bool) *lazySandbox {
	return &lazySandbox{open: sync.OnceValues(func() (*sandbox.Pool, error) { return openSandbox(host, durable) })}
}

// lazySandbox is the sandbox, opened when it is first needed: a worker without dynamic
// tools has no children.
type lazySandbox struct {
	open func() (*sandbox.Pool, error)

	mu     sync.Mutex
	opened bool
	closed bool
}

// Run implements [dynamic.Runner].
func (c *lazySandbox) Run(ctx context.Context, j sandbox.Job) (json.RawMessage, error) {
	pool, err := c.pool()
	if err != nil {
		return nil, err
	}
	return pool.Run(ctx, j)
}

// Reserve implements [dynamic.Runner].
func (c *lazySandbox) Reserve(ctx context.Context, tenant, user string, depth int) (*sandbox.Slot, error) {
	pool, err := c.pool()
	if err != nil {
		return nil, err
	}
	return pool.Reserve(ctx, tenant, user, depth)
}

func (c *lazySandbox) pool() (*sandbox.Pool, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, engine.ErrShutdown
	}
	c.opened = true
	c.mu.Unlock()
	pool, err := c.open()
	if err != nil {
		return nil, tool.Fail(tool.NotConfigured,
			"custom tools cannot run on this worker: %s; its operator runs 'helve doctor', which names what is missing", err)
	}
	return pool, nil
}

// Close ends all children. Nothing runs after it.
func (c *lazySandbox) Close() {
	c.mu.Lock()
	opened := c.opened
	c.closed = true
	c.mu.Unlock()
	if !opened {
		return
	}
	if pool, err := c.open(); err == nil {
		pool.Close()
	}
}
