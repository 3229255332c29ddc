package worker

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/dynamic"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/sandbox"
	"github.com/helve-dev/helve/internal/sandbox/inside"
	"github.com/helve-dev/helve/tool"
)

// openCustom builds the registry of dynamic tools over a bus that is prepared.
func (w *Worker) openCustom(ctx context.Context) error {
	bucket, err := w.bus.Bucket(ctx, bus.BucketCustom)
	if err != nil {
		return err
	}
	w.cage = &cage{open: sync.OnceValues(func() (*sandbox.Pool, error) { return openSandbox(w) })}
	w.tools.custom = dynamic.New(dynamic.Options{
		Bucket: bucket, Exists: func(err error) bool { return errors.Is(err, bus.ErrExists) }, Cage: w.cage, Taken: w.taken,
		Logged: w.scriptLog, Lib: w.lib, Log: w.kit.Log,
	})
	return nil
}

// taken says that a name is that of a tool which every tenant has, of whatever pool,
// or which a process of the tenant runs now.
func (w *Worker) taken(tenant, name string) bool {
	return w.tools.taken(name) || w.catalogue.Shared.Taken(name) || w.tools.remote.Runs(tenant, name)
}

func openSandbox(w *Worker) (*sandbox.Pool, error) {
	o := sandbox.Options{Slots: w.cfg.Sandbox.Children, Limits: sandboxLimits(w.cfg), Log: w.kit.Log, Killed: w.kit.Metrics.SandboxKilled}
	if program := w.cfg.Sandbox.Program; program != "" {
		o.Program = []string{program, inside.Argument}
	}
	pool, err := sandbox.New(o)
	if err != nil {
		w.kit.Log.Error("custom tools cannot run here; `helve doctor` says what this host lacks", zap.Error(err))
		return nil, err
	}
	w.kit.Metrics.Sandboxes(pool.Stats)
	return pool, nil
}

func sandboxLimits(cfg config.Config) sandbox.Limits {
	s := cfg.Sandbox
	return sandbox.Limits{Wall: s.Wall, CPU: s.CPU, Memory: int64(s.Memory), Output: int(s.Output)}
}

// cage is the sandbox, opened when it is first needed: a worker without dynamic
// tools has no children.
type cage struct {
	open func() (*sandbox.Pool, error)

	mu     sync.Mutex
	opened bool
	closed bool
}

// Run implements [dynamic.Cage].
func (c *cage) Run(ctx context.Context, j sandbox.Job) (json.RawMessage, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, engine.ErrShutdown
	}
	c.opened = true
	c.mu.Unlock()
	pool, err := c.open()
	if err != nil {
		return nil, tool.Fail(tool.NotConfigured, "custom tools cannot run on this worker: %s", err)
	}
	return pool.Run(ctx, j)
}

// Close ends all children. Nothing runs after it.
func (c *cage) Close() {
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
