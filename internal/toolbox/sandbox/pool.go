package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/ports/helperbin"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	"github.com/helve-dev/helve/tool"
)

// Options configure how a pool runs its children.
type Options struct {
	// Program is the command of a child; if it is empty, package helperbin finds the
	// command.
	Program []string
	// Slots is the number of children that run concurrently for calls that no script made;
	// 0 means four times the CPUs. Calls made by scripts have slots of their own: half as
	// many, at least two, for each depth.
	Slots  int
	Limits Limits
	// Durable makes it a pool for programs: their children may live long enough for the
	// work of a whole program and its replay.
	Durable bool
	Log     *zap.Logger
	// Killed is called for each child that was ended during a run, with the reason: cpu,
	// wall, memory, protocol, crash or cancelled. It may be called from several goroutines
	// concurrently.
	Killed func(reason string)
}

// Job is one run in the sandbox.
type Job struct {
	// Tenant and User are the owners of the run: no child serves two tenants, and slots are
	// shared between tenants, and within a tenant between its users.
	Tenant, User string
	// Depth is 0 for a call that no script made, and one more for each script
	// above it; at most permission.MaxDepth.
	Depth   int
	Name    string // the tool's name, for positions in errors
	Code    string // the function's body
	Args    json.RawMessage
	Context js.Context
	Network bool
	Files   bool
	// Host serves the script's requests. Requests still running at the end of the run are
	// cancelled and not awaited. Log lines are passed to it one after another, and later
	// requests wait for them: it must return quickly from those.
	Host   js.Host
	Limits Limits
	// Durable makes it a run of a program, which only a pool with Options.Durable runs.
	// Host is sent [js.OpNext] only, one after another, and only requests whose numbers
	// follow each other; with Uses it is sent one [js.OpUses] before them, unless the code
	// names no tool. A host that is a [js.BodyHost] sees the CPU time as well.
	Durable *js.Durable
	Uses    bool
	// Replays is set if the first answer of the host will be a replay: then the code
	// before it does not count as work of the program either.
	Replays bool
	// CompileOnly compiles the code in the child without running it; a problem is a
	// validation_error, and the value is null, or the []js.Use of a program.
	CompileOnly bool
}

// Pool keeps children ready and runs jobs in them.
type Pool struct {
	limits  Limits
	slots   slots
	spawner *spawner
	idle    idle
	log     *zap.Logger
	killed  func(reason string)
}

// New starts a pool. If children cannot be locked down, it fails with the features the host
// lacks.
func New(o Options) (*Pool, error) {
	if o.Slots <= 0 {
		o.Slots = 4 * runtime.NumCPU()
	}
	if len(o.Program) == 0 {
		o.Program = helperbin.Command(child.Argument)
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Killed == nil {
		o.Killed = func(string) {}
	}
	limits := o.Limits.within(DefaultLimits())
	if o.Durable {
		limits.life = durableLife
	}
	p := &Pool{limits: limits, slots: newSlots(o.Slots), log: o.Log, killed: o.Killed}
	p.idle.most = o.Slots
	var err error
	p.spawner, err = newSpawner(o.Program, limits, min(o.Slots, warm), o.Log)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Run runs a job in a child. The error is a *tool.Error: timeout for the wall and CPU
// limits, execution_error for memory, a crash and a thrown value, and the kind of the
// host's refusal if the script did not catch it. A job that finds no slot within [Room], or
// in the time left by ctx, was never started and ends in overloaded. The wall limit begins
// with the slot. If ctx ends, the error wraps that of ctx.
func (p *Pool) Run(ctx context.Context, j Job) (json.RawMessage, error) {
	if j.Depth < 0 || j.Depth > permission.MaxDepth {
		return nil, tool.Fail(tool.ExecutionError, "scripts may call scripts at most %d deep", permission.MaxDepth)
	}
	if len(j.Code) > js.MaxSource {
		return nil, tool.Fail(tool.ValidationError, "the script has %d bytes, at most %d are allowed", len(j.Code), js.MaxSource)
	}
	if j.Durable != nil && !j.CompileOnly && p.limits.life == 0 {
		return nil, tool.Fail(tool.Unsupported, "this sandbox runs no programs")
	}
	who := holder{j.Tenant, j.User}
	if err := p.enterReserved(ctx, j.Depth, who); err != nil {
		return nil, err
	}
	defer p.slots.release(j.Depth, who)
	c, err := p.child(ctx, j.Tenant)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	out := c.serve(ctx, &j, j.Limits.within(p.limits))
	if out.reason != "" {
		p.killed(out.reason)
		p.log.Info("a sandbox was ended",
			zap.String("reason", out.reason), zap.String("tool", j.Name), zap.Int("pid", c.pid), zap.NamedError("cause", out.err))
	}
	if p.reusable(c, time.Since(began)) {
		p.retire(p.idle.put(c))
	} else {
		p.retire(c)
	}
	if out.err != nil {
		return nil, out.err
	}
	return out.value, nil
}

// child returns an idle child of the tenant, or else a child without a tenant.
func (p *Pool) child(ctx context.Context, tenant string) (*childProcess, error) {
	for c := p.idle.take(tenant); c != nil; c = p.idle.take(tenant) {
		if c.quiet() {
			return c, nil
		}
		c.kill(violation{errors.New("a frame between two runs")}) // if it has not ended
	}
	c, err := p.spawner.take(ctx)
	if err != nil && !errors.Is(err, errClosed) && ctx.Err() == nil {
		// It was killed while it started, or the host lacked resources for a moment.
		c, err = p.spawner.take(ctx)
	}
	switch {
	case err == nil:
		c.tenant = tenant
		return c, nil
	case ctx.Err() != nil:
		return nil, gone(ctx)
	}
	return nil, tool.Fail(tool.Overloaded, "no sandbox could be started for the script; try again later").Because(err)
}

// A child is recycled after this many calls, or at this size, because garbage and threads
// of earlier runs add up. Starting one costs as much as a hundred short runs, and as much
// again until its heap has the size at which it is reused.
const (
	mostCalls    = 5000
	checkCalls   = 8 // number of short runs between two checks of the size
	shortRun     = time.Millisecond
	mostResident = 40 << 20
)

func (p *Pool) reusable(c *childProcess, took time.Duration) bool {
	// Reading the size costs a tenth of a short run, in which little can grow.
	small := took < shortRun && c.calls%checkCalls != 0 || c.resident() <= mostResident
	c.spent = c.cpu()
	return small && !c.slow && !c.ended() && c.calls < mostCalls && c.spent < p.limits.lifetimeCPU()/2
}

func (p *Pool) retire(c *childProcess) {
	if c != nil {
		c.kill(nil)
	}
}

// Stats returns the number of waiting children, and of occupied slots.
func (p *Pool) Stats() (idle, busy int) {
	return p.idle.len() + p.spawner.len(), p.slots.taken()
}

// Close ends all children, including the busy ones, and returns when they have ended. It
// may be called once.
func (p *Pool) Close() { p.spawner.close() }

// gone returns the error of a run whose context ended.
func gone(ctx context.Context) error {
	cause := fmt.Errorf("%w: %w", ctx.Err(), context.Cause(ctx))
	if errors.Is(cause, context.DeadlineExceeded) {
		return tool.Fail(tool.Timeout, "the script did not finish in time").Because(cause)
	}
	return tool.Fail(tool.Cancelled, "the script was cancelled").Because(cause)
}
