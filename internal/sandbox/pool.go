package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/childexe"
	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/sandbox/inside"
	"github.com/helve-dev/helve/tool"
)

// Options say how a pool runs its children.
type Options struct {
	// Program is the command of a child; empty means that package childexe finds it.
	Program []string
	// Slots is how many children run at once for calls that no script made; 0
	// means four times the CPUs. Calls made by scripts have slots of their own:
	// half as many, at least two, for each depth.
	Slots  int
	Limits Limits
	Log    *zap.Logger
	// Killed hears of each child that was ended while it served, with the reason:
	// cpu, wall, memory, protocol, crash or cancelled. It may be called from
	// several goroutines at once.
	Killed func(reason string)
}

// Job is one run in the cage.
type Job struct {
	Tenant string
	// Depth is 0 for a call that no script made, and one more for each script
	// above it; at most MaxDepth.
	Depth   int
	Name    string // the tool's name, for positions in errors
	Code    string // the function's body
	Args    json.RawMessage
	Context js.Context
	Network bool
	Files   bool
	// Host does what the script asks for. What still runs when the run ends is
	// cancelled and not waited for. Lines of log are given to it one after the
	// other, and nothing that follows them before: it must not linger over those.
	Host   js.Host
	Limits Limits
	// CompileOnly compiles the code in the child and runs nothing; what is wrong
	// with it is a validation_error, and the value is null.
	CompileOnly bool
}

// MaxDepth is how deep scripts may call scripts.
const MaxDepth = 3

// Pool keeps children ready.
type Pool struct {
	limits  Limits
	slots   slots
	nursery *nursery
	idle    idle
	log     *zap.Logger
	killed  func(reason string)
}

// New starts a pool. It fails where children cannot be locked down, and says
// what the host lacks.
func New(o Options) (*Pool, error) {
	if o.Slots <= 0 {
		o.Slots = 4 * runtime.NumCPU()
	}
	if len(o.Program) == 0 {
		o.Program = childexe.Command(inside.Argument)
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Killed == nil {
		o.Killed = func(string) {}
	}
	limits := o.Limits.within(DefaultLimits())
	p := &Pool{limits: limits, slots: newSlots(o.Slots), log: o.Log, killed: o.Killed}
	p.idle.most = o.Slots
	var err error
	p.nursery, err = newNursery(o.Program, limits, min(o.Slots, warm), o.Log)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Run runs a job in a child. The error is a *tool.Error: timeout for the wall
// and CPU limits, execution_error for memory, a crash and what the script throws,
// and what a host's refusal was if the script did not catch it. If ctx ends,
// also while the job waits for a slot, the error wraps that of ctx.
func (p *Pool) Run(ctx context.Context, j Job) (json.RawMessage, error) {
	if j.Depth < 0 || j.Depth > MaxDepth {
		return nil, tool.Fail(tool.ExecutionError, "scripts may call scripts at most %d deep", MaxDepth)
	}
	if len(j.Code) > js.MaxSource {
		return nil, tool.Fail(tool.ValidationError, "the script has %d bytes, at most %d are allowed", len(j.Code), js.MaxSource)
	}
	if err := p.slots.take(ctx, j.Depth, j.Tenant); err != nil {
		return nil, gone(ctx)
	}
	defer p.slots.release(j.Depth, j.Tenant)
	c, err := p.child(ctx, j.Tenant)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	out := c.serve(ctx, &j, j.Limits.within(p.limits))
	if out.reason != "" {
		p.killed(out.reason)
		p.log.Info("a sandbox was ended", zap.String("reason", out.reason), zap.String("tool", j.Name), zap.Int("pid", c.pid), zap.NamedError("cause", out.err))
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

// child is an idle one of the tenant, or else one that served nobody yet.
func (p *Pool) child(ctx context.Context, tenant string) (*child, error) {
	for c := p.idle.take(tenant); c != nil; c = p.idle.take(tenant) {
		if c.quiet() {
			return c, nil
		}
		c.kill(violation{errors.New("a frame between two runs")}) // if it is not gone
	}
	c, err := p.nursery.take(ctx)
	if err != nil && !errors.Is(err, errClosed) && ctx.Err() == nil {
		// Somebody killed it as it came up, or the host was short for a moment.
		c, err = p.nursery.take(ctx)
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

// A child is recycled when it has served this many calls, or is this large, since
// garbage and threads of earlier runs add up. To start one costs as much as a hundred
// short runs, and as much again until its heap has the size at which it is reused.
const (
	mostCalls    = 5000
	checkCalls   = 8 // of short runs: how often its size is looked at
	shortRun     = time.Millisecond
	mostResident = 40 << 20
)

func (p *Pool) reusable(c *child, took time.Duration) bool {
	// To ask costs a tenth of a short run, in which little can grow.
	small := took < shortRun && c.calls%checkCalls != 0 || c.resident() <= mostResident
	c.spent = c.cpu()
	return small && !c.ended() && c.calls < mostCalls && c.spent < p.limits.lifetimeCPU()/2
}

func (p *Pool) retire(c *child) {
	if c != nil {
		c.kill(nil)
	}
}

// Stats is how many children wait for work, and how many slots have some.
func (p *Pool) Stats() (idle, busy int) {
	return p.idle.len() + p.nursery.len(), p.slots.taken()
}

// Close ends all children, also those that serve, and returns when they are
// gone. It may be called once.
func (p *Pool) Close() { p.nursery.close() }

// gone is the error of a run whose context ended.
func gone(ctx context.Context) error {
	cause := fmt.Errorf("%w: %w", ctx.Err(), context.Cause(ctx))
	if errors.Is(cause, context.DeadlineExceeded) {
		return tool.Fail(tool.Timeout, "the script did not finish in time").Because(cause)
	}
	return tool.Fail(tool.Cancelled, "the script was cancelled").Because(cause)
}
